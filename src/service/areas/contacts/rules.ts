import { type ChannelName, numberChannels } from '../../../contract/areas/channels/names.ts';
import { fold } from '../../../contract/text/fold.ts';
import type { Contact } from './table.ts';

/**
 * Whether a contact can be reached on a channel. A phone number can be reached on every channel with numbers, any other identity
 * only on its own channel.
 */
export function isReachable(contact: Pick<Contact, 'channel' | 'phone_number'>, channel: ChannelName): boolean {
  return numberChannels.has(channel) ? contact.phone_number !== null : contact.channel === channel;
}

type Searched = Pick<Contact, 'phone_number' | 'identity' | 'first_name' | 'last_name' | 'email' | 'company'>;

/** The text that searches are matched against. Each field is on its own line, so that no match spans two fields. */
export function searchText({ phone_number, identity, first_name, last_name, email, company }: Searched): string {
  const name = [first_name, last_name].filter(Boolean).join(' ');
  return fold([name, phone_number, identity, email, company].flatMap((field) => (field ? [onOneLine(field)] : [])).join('\n'));
}

/** The text that a search looks for. */
export function searchedText(search: string): string {
  return fold(onOneLine(search));
}

function onOneLine(text: string): string {
  return text.replaceAll('\n', ' ');
}

/** The statuses of a contact as its timeline shows them: the first that holds (rule analytics.57). */
export function statusOf({
  archived,
  do_not_disturb: isMuted,
  paused,
}: Pick<Contact, 'archived' | 'do_not_disturb' | 'paused'>): 'active' | 'paused' | 'do_not_disturb' | 'archived' {
  if (archived) return 'archived';
  if (isMuted) return 'do_not_disturb';
  return paused ? 'paused' : 'active';
}
