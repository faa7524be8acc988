import type { Client } from '../client/client.ts';
import { InterfaceError } from '../client/errors.ts';
import { listContacts, tagContact } from '../contract/areas/contacts/endpoints.ts';
import { addListContacts } from '../contract/areas/lists/endpoints.ts';
import type { KindName } from './kind.ts';
import type { Change } from './plan/plan.ts';

/** The most memberships of a deleted tag or list that the journal keeps. */
export const memberLimit = 10_000;

const queries: Partial<Record<KindName, (id: string) => { tag_id: string } | { list_id: string }>> = {
  tags: (id) => ({ tag_id: id }),
  lists: (id) => ({ list_id: id }),
};

/** Whether contacts can have a record of a kind, or be in it. */
export function hasMembers(kind: KindName): boolean {
  return kind in queries;
}

/** The contacts of a record, as many as the journal keeps; undefined for a kind without any. */
export async function membersOf(client: Client, { kind, id }: Pick<Change, 'kind' | 'id'>): Promise<readonly string[] | undefined> {
  const query = queries[kind];
  if (!query || id === null) return undefined;
  const contacts: string[] = [];
  for await (const { rows } of client.pages(listContacts, { query: query(id) }, memberLimit))
    contacts.push(...rows.map((contact) => contact.id as string));
  return contacts;
}

/** Gives a tag or list that was made again its contacts. Those that are gone meanwhile are left out. */
export async function restoreMembers(client: Client, kind: KindName, id: string, contacts: readonly string[]): Promise<void> {
  if (
    kind === 'lists' &&
    contacts.length > 0 &&
    (await succeeds(() => client.call(addListContacts, { params: { id }, body: { contact_ids: [...contacts] } })))
  )
    return;
  for (const contact of contacts) {
    if (kind === 'tags') await succeeds(() => client.call(tagContact, { params: { id: contact }, body: { tag_id: id } }));
    else await succeeds(() => client.call(addListContacts, { params: { id }, body: { contact_ids: [contact] } }));
  }
}

/** @returns false when a contact is gone */
async function succeeds(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (error instanceof InterfaceError && error.status === 404) return false;
    throw error;
  }
}
