/** The records that a notification or an error can be about. */
export const entityTypes = [
  'message',
  'chat_session',
  'phone_number',
  'webhook',
  'broadcast',
  'kb_source',
  'template',
  'agent',
  'appointment',
  'custom_function',
  'mcp_server',
  'scheduled_task',
  'chat_export',
  'widget',
] as const;

export type EntityType = (typeof entityTypes)[number];
