import type { Fragments } from '../../store/migration.ts';

/** Contacts with their tags and lists, and the channels that reach them. */
export function contacts({ account, references, seq, times }: Fragments): string[] {
  return [
    `create table channels (
      ${seq}, id text not null unique, ${account}, channel text not null, identity text not null, name text,
      status text not null, connected_at bigint, connection text, unique (account_id, channel, identity))`,
    `create table pairings (
      ${account}, phone_number text not null, code text not null, expires_at bigint not null,
      primary key (account_id, phone_number))`,
    `create table tags (
      ${seq}, id text not null unique, ${account}, name text not null, folded_name text not null, description text,
      contact_count bigint not null, ${times}, unique (account_id, folded_name))`,
    'create index tags_by_account on tags (account_id, seq)',
    `create table lists (${seq}, id text not null unique, ${account}, name text not null, contact_count bigint not null, ${times})`,
    'create index lists_by_account on lists (account_id, seq)',
    `create table contacts (
      ${seq}, id text not null unique, account_id text not null ${references('accounts (id)')}, channel text not null,
      identity_key text not null, phone_number text, identity text, first_name text, last_name text, email text, company text,
      country text, agent_id text, do_not_disturb bigint not null, private_mode bigint not null, paused bigint not null,
      taken_over bigint not null, archived bigint not null, own_identity text, last_message_at bigint,
      search_text text not null, has_written bigint not null, first_agent_id text, ${times}, unique (account_id, identity_key))`,
    'create index contacts_by_account on contacts (account_id, seq)',
    'create index contacts_by_agent on contacts (agent_id) where agent_id is not null',
    'create index contacts_by_channel on contacts (account_id, channel, seq)',
    `create table contact_tags (
      tag_id text not null ${references('tags (id)')}, contact_seq bigint not null ${references('contacts (seq)')},
      primary key (tag_id, contact_seq))`,
    'create index contact_tags_by_contact on contact_tags (contact_seq)',
    `create table list_contacts (
      list_id text not null ${references('lists (id)')}, contact_seq bigint not null ${references('contacts (seq)')},
      primary key (list_id, contact_seq))`,
    'create index list_contacts_by_contact on list_contacts (contact_seq)',
  ];
}
