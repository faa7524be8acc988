import type { NotedType } from '../../../contract/areas/notes/endpoints.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { deleteRecord } from '../../http/record-handlers.ts';
import type { Db } from '../../store/database.ts';
import { newest } from '../../store/newest.ts';
import { contacts } from '../contacts/table.ts';
import { deals } from '../deals/table.ts';
import { tasks } from '../tasks/table.ts';
import { notes } from './table.ts';

const noted = { contact: contacts, deal: deals, task: tasks } as const;

/** @throws ApiError 404 when the account has no such record */
async function requireNoted(db: Db, accountId: string, type: NotedType, id: string): Promise<void> {
  await noted[type].require(db, accountId, id);
}

export const noteHandlers: AreaHandlers<'notes'> = {
  'notes.list': async ({ db, account, query: { entity_type: type, entity_id: id }, page }) => {
    await requireNoted(db, account.id, type, id);
    const { rows, next_cursor } = await page((before, limit) => newest(db, notes, { entity_id: id }, before, limit));
    return { notes: rows.map((row) => notes.show(row)), next_cursor };
  },

  'notes.create': async ({ db, account, caller, body, now }) => {
    await requireNoted(db, account.id, body.entity_type, body.entity_id);
    const author = caller.kind === 'member' ? caller.email : null;
    return { note: notes.show(await notes.create(db, account.id, { ...notes.read(body), author }, now)) };
  },

  'notes.delete': deleteRecord(notes),
};
