import type { Db } from '../../store/database.ts';
import { isAmong } from '../../store/is-among.ts';
import { preparedChange } from '../../store/prepared.ts';
import { prepareAgain, prepareLater } from '../faqs/preparation.ts';
import { numberOfGap } from '../faqs/searched-texts.ts';
import { mostFrequent } from './records.ts';
import { taskTitle } from './tasks.ts';
import { type Gap, gaps } from './table.ts';

/** Deletes gaps, which are no longer found. */
export async function deleteGaps(db: Db, accountId: string, deleted: readonly Pick<Gap, 'id' | 'seq'>[], now: number): Promise<void> {
  if (deleted.length === 0) return;
  const ids = JSON.stringify(deleted.map(({ id }) => id));
  await db
    .deleteFrom('knowledge_gaps')
    .where(isAmong(db, 'id', ids))
    .execute();
  const numbers = deleted.map(({ seq }) => numberOfGap(seq));
  await prepareLater(db, accountId, numbers, now);
}

/** Takes what a contact asked out of the gaps. Gaps that nobody else asked are deleted, with their tasks, whose titles quote the contact. */
export async function forgetAsker(db: Db, accountId: string, contactId: string, now: number): Promise<void> {
  const askings = await db.selectFrom('gap_askings').selectAll().where('contact_id', '=', contactId).execute();
  if (askings.length === 0) return;
  for (const { key, count } of askings) await uncount(db, { account: accountId, key, count });
  const keys = JSON.stringify(askings.map(({ key }) => key));
  await db
    .deleteFrom('gap_wordings')
    .where('account_id', '=', accountId)
    .where(isAmong(db, 'key', keys))
    .where('count', '<=', 0)
    .execute();
  await db.deleteFrom('gap_askings').where('contact_id', '=', contactId).execute();
  await db.deleteFrom('gap_contacts').where('contact_id', '=', contactId).execute();
  const asked = Map.groupBy(askings, (row) => row.gap_id);
  const left: [Gap, number][] = [];
  const gone: Gap[] = [];
  for (const gap of (await gaps.findMany(db, accountId, [...asked.keys()])).values()) {
    const count = gap.count - (asked.get(gap.id) ?? []).reduce((sum, row) => sum + row.count, 0);
    if (count > 0) left.push([gap, count]);
    else gone.push(gap);
  }
  const tasksGone = JSON.stringify(gone.flatMap((gap) => gap.task_id ?? []));
  await db
    .deleteFrom('notes')
    .where(isAmong(db, 'entity_id', tasksGone))
    .execute();
  await db
    .deleteFrom('tasks')
    .where(isAmong(db, 'id', tasksGone))
    .execute();
  await deleteGaps(db, accountId, gone, now);
  for (const [gap, count] of left) await askedLess(db, gap, count, now);
}

const uncount = preparedChange<{ account: string; key: string; count: number }>((db, $) =>
  db
    .updateTable('gap_wordings')
    .set((eb) => ({ count: eb('count', '-', $.count) }))
    .where('account_id', '=', $.account)
    .where('key', '=', $.key),
);

/** Changes a gap that fewer messages asked, which can change its question. */
async function askedLess(db: Db, gap: Gap, count: number, now: number): Promise<void> {
  const question = await mostFrequent(db, gap);
  await gaps.setColumns(db, gap, { count, question, updated_at: now });
  if (question === gap.question) return;
  await prepareAgain(db, gap.account_id, [numberOfGap(gap.seq)], now);
  if (gap.task_id === null) return;
  const ofTask = db
    .updateTable('tasks')
    .set({ title: taskTitle(question) })
    .where('id', '=', gap.task_id);
  await ofTask.where('title', '=', taskTitle(gap.question)).execute();
}
