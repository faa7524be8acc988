import type { ChannelName } from '../../../../contract/areas/channels/names.ts';

// The people and records in the history of every business. Conversations refer to them by index.

/** The channels, with the relative number of contacts. */
export const channels: readonly { readonly channel: ChannelName; readonly weight: number }[] = [
  { channel: 'chatapp', weight: 6 },
  { channel: 'sms', weight: 2 },
  { channel: 'page_messenger', weight: 2 },
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

export const firstNames = words(`
  Ada Alan Alma Amir Anna Arjun Ben Clara Diego Elif Emmy Erik Fatima Felix Grace Hana Hugo Ida Ines Ivan Jana Jonas Kurt
  Lena Leo Lise Luca Maja Marie Mina Nadia Niels Nora Omar Oskar Paula Rosa Sami Sofia Tim
`);

export const lastNames = words(`
  Arendt Baker Becker Berg Bianchi Bohr Byron Cohen Costa Curie Diaz Ekman Euler Fischer Franklin Garcia Gauss Haas Hopper
  Ito Jensen Kaya Keller Khan Kim Klein Laurent Lopez Martin Meitner Moreau Nilsson Noether Novak Okafor Pascal Patel
  Rossi Santos Schmidt Silva Singh Sokolova Turing Vogel Wagner Weber Weiss Yilmaz Zhang
`);

/** When appointments can be. */
export const appointmentTimes = { slotMinutes: 30, firstHour: 9, lastHour: 17 } as const;

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
