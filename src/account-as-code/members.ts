import type { Client } from '../client/client.ts';
import { InterfaceError } from '../client/errors.ts';
import { listContacts, tagContact } from '../contract/areas/contacts/endpoints.ts';
import { addListContacts } from '../contract/areas/lists/endpoints.ts';
import type { KindName } from './kind.ts';
import type { Change } from './plan/plan.ts';

/** Maximum number of contacts of a deleted tag or list that the journal keeps. */
export const memberLimit = 10_000;

const queries: Partial<Record<KindName, (id: string) => { tag_id: string } | { list_id: string }>> = {
  tags: (id) => ({ tag_id: id }),
  lists: (id) => ({ list_id: id }),
};

/** Whether contacts can be members of a kind: tags and lists. */
export function hasMembers(kind: KindName): boolean {
  return kind in queries;
}

/** The contacts of a tag or list, up to `memberLimit`; undefined for other kinds. */
export async function membersOf(client: Client, { kind, id }: Pick<Change, 'kind' | 'id'>): Promise<readonly string[] | undefined> {
  const query = queries[kind];
  if (!query || id === null) return undefined;
  const contacts: string[] = [];
  for await (const { rows } of client.pages(listContacts, { query: query(id) }, memberLimit))
    contacts.push(...rows.map((contact) => contact.id));
  return contacts;
}

/** Adds its former contacts to a recreated tag or list. Contacts that no longer exist are skipped. */
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

/** @returns false if a contact no longer exists */
async function succeeds(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (error instanceof InterfaceError && error.status === 404) return false;
    throw error;
  }
}
