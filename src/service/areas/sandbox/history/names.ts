import type { ChannelName } from '../../../../contract/areas/channels/names.ts';

// The people and records in a history. Conversations refer to them by index.

export const agentNames = ['Ada', 'Max'] as const;

export const campaigns = [
  { name: 'Spring menu', offer: 'Our spring menu is here.' },
  { name: 'Check-ups', offer: 'Your check-up is due. Shall we find a time?' },
  { name: 'New arrivals', offer: 'New arrivals: 20 % off this week.' },
] as const;

/** The channels, each with the account's own number or name on it and the relative number of contacts. */
export const channels: readonly { readonly channel: ChannelName; readonly identity: string; readonly weight: number }[] = [
  { channel: 'chatapp', identity: '+14155550100', weight: 6 },
  { channel: 'sms', identity: '+14155550101', weight: 2 },
  { channel: 'page_messenger', identity: 'front.desk', weight: 2 },
];

/** The tags, each with the share of contacts that have it. */
export const tags = [
  { name: 'VIP', description: 'Buys often: answer first', share: 0.1 },
  { name: 'Newsletter', description: 'Agreed to the newsletter', share: 0.3 },
  { name: 'Complaint', description: 'Has an open complaint', share: 0.05 },
] as const;

/** The lists, each with the share of contacts that are on it. Their names are not those of examples, whose lists are the user's. */
export const lists = [
  { name: 'Open house', share: 0.25 },
  { name: 'Regulars', share: 0.15 },
] as const;

/** The countries of contacts, with their calling codes. */
export const countries = [
  { country: 'US', code: '+1415', weight: 6 },
  { country: 'GB', code: '+4479', weight: 2 },
  { country: 'DE', code: '+4915', weight: 2 },
  { country: 'FR', code: '+3361', weight: 1 },
] as const;

export const firstNames = ['Ada', 'Alan', 'Emmy', 'Grace', 'Kurt', 'Lise', 'Niels', 'Rosa', 'Sofia', 'Tim'] as const;
export const lastNames = ['Byron', 'Curie', 'Euler', 'Gauss', 'Hopper', 'Meitner', 'Noether', 'Pascal', 'Turing', 'Weber'] as const;

/** The event type of the appointments. */
export const consultation = { name: 'Consultation', slotMinutes: 30, firstHour: 9, lastHour: 17 } as const;

/** The subscription whose receiver fails in the bad week. It stays disabled, so that nothing is ever sent to it. */
export const webhook = {
  name: 'Front desk',
  url: 'https://front-desk.example/hooks',
  events: ['Appointment Booked', 'the service Alerted'],
} as const;
