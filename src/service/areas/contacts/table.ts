import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { accountTable } from '../../store/account-table.ts';
import { boolean, instant, integer, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

export const contacts = accountTable(
  'contacts',
  { prefix: 'con', record: 'contact' },
  {
    channel: text<ChannelName>(),
    /** Unique in an account: the phone number, or the channel and the identity on it. */
    identity_key: text().internal(),
    /** In E.164; null on channels without numbers. */
    phone_number: text().nullable(),
    /** The account name on a channel without numbers. */
    identity: text().nullable(),
    first_name: text().nullable(),
    last_name: text().nullable(),
    email: text().nullable(),
    company: text().nullable(),
    /** The country of the number, as ISO 3166-1. */
    country: text().nullable(),
    agent_id: text().nullable(),
    /** The contact's agent when it was created. The contact is counted under this agent. */
    first_agent_id: text().nullable().internal(),
    do_not_disturb: boolean().default(false),
    private_mode: boolean().default(false),
    paused: boolean().default(false),
    /** Whether a team member took over the conversation. Set by the member's reply, until the contact is resumed. */
    taken_over: boolean().default(false).internal(),
    archived: boolean().default(false),
    /** The account's own number or identity that the contact last wrote to. */
    own_identity: text().nullable().internal(),
    /** Whether the contact has ever written. */
    has_written: boolean().default(false).internal(),
    last_message_at: instant().nullable(),
    /** The case-folded text that searches are matched against. */
    search_text: text().internal(),
  },
);

/** A stored contact. */
export type StoredContact = Row<typeof contacts>;

/** A contact, whether stored or not. */
export type Contact = Omit<StoredContact, 'seq'>;

export const contactTags = table('contact_tags', { tag_id: text(), contact_seq: integer() });

export const contactLists = table('list_contacts', { list_id: text(), contact_seq: integer() });

declare module '../../store/database.ts' {
  interface Database {
    contacts: StoredRow<typeof contacts>;
    contact_tags: StoredRow<typeof contactTags>;
    list_contacts: StoredRow<typeof contactLists>;
  }
}
