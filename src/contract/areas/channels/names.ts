/** The identifiers of the channels (rule contacts.1). */
export const channelNames = [
  'chatapp',
  'chatapp_web',
  'photo_social',
  'photo_social_private',
  'page_social',
  'page_messenger',
  'secure_messenger',
  'sms',
  'email',
  'chat_widget',
  'custom_channel',
  'asia_messenger',
  'voip_messenger',
  'video_social',
  'device_messenger',
  'pro_network',
  'community_platform',
] as const;

export type ChannelName = (typeof channelNames)[number];

/** The channels whose identity is a phone number in E.164 (rule contacts.2). */
export const numberChannels: ReadonlySet<ChannelName> = new Set(['chatapp', 'chatapp_web', 'sms']);
