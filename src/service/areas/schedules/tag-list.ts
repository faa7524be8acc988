import type { Action } from '../../../contract/areas/schedules/action.ts';
import type { Db } from '../../store/database.ts';
import type { Journal } from '../activity/journal.ts';
import { callCampaigns } from '../contacts/campaign-calls.ts';
import { addMemberships, findFull, removeContacts } from '../contacts/memberships.ts';
import { lists } from '../lists/table.ts';
import { tags } from '../tags/table.ts';

/** The number of contacts that are tagged in one transaction. */
const partLength = 1_000;

/** What tagging a part of a list led to: the last contact, by its `seq`, or that it is done or impossible. */
type Part = { readonly after: number } | 'done' | 'not_found';

/** Whether an action tags the contacts of a list. */
export function isForList({ type, list_id: listId }: Action): boolean {
  return type === 'tag' && listId !== undefined && listId !== null;
}

/**
 * Tags or untags the next contacts of a list. A part that is repeated changes nothing. Contacts that have as many tags as they can are
 * left out.
 * @param after the last contact of the part before, by its `seq`
 */
export async function tagPart(db: Db, { account, now }: Journal, action: Action, after: number): Promise<Part> {
  const list = await lists.find(db, account.id, action.list_id ?? '');
  const tag = await tags.find(db, account.id, action.tag_id ?? '');
  if (!list || !tag) return 'not_found';
  const rows = await db
    .selectFrom('list_contacts')
    .select('contact_seq')
    .where('list_id', '=', list.id)
    .where('contact_seq', '>', after)
    .orderBy('contact_seq')
    .limit(partLength)
    .execute();
  const seqs = rows.map(({ contact_seq: seq }) => seq);
  const last = seqs.at(-1);
  if (action.remove === true) await removeContacts(db, 'tags', tag.id, seqs);
  else {
    const full = await findFull(db, 'tags', tag.id, account.id, seqs);
    const wanted = seqs.filter((seq) => !full.has(seq)).map((seq) => ({ id: tag.id, seq }));
    await callCampaigns(db, account, await addMemberships(db, 'tags', wanted), now);
  }
  return last === undefined || seqs.length < partLength ? 'done' : { after: last };
}
