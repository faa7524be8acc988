import { type Caller, RefusedCall } from '../../contract/call.ts';
import { listContacts } from '../../contract/areas/contacts/endpoints.ts';

/** Maximum number of contacts of a deleted tag or list that the journal keeps. */
export const memberLimit = 10_000;

/** The ids of the contacts with a tag or on a list, up to `memberLimit`. */
export async function contactsWith(client: Caller, query: { tag_id: string } | { list_id: string }): Promise<string[]> {
  const contacts: string[] = [];
  for await (const { rows } of client.pages(listContacts, { query }, memberLimit)) contacts.push(...rows.map(({ id }) => id));
  return contacts;
}

/** Adds contacts one by one. Those that no longer exist are skipped. */
export async function addEach(contacts: readonly string[], add: (contact: string) => Promise<unknown>): Promise<void> {
  for (const contact of contacts) await succeeds(() => add(contact));
}

/** @returns false if a contact no longer exists */
export async function succeeds(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (error instanceof RefusedCall && error.status === 404) return false;
    throw error;
  }
}
