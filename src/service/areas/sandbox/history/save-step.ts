import type { Account } from '../../../identity/accounts.ts';
import { enqueue } from '../../../jobs/queue.ts';
import type { Db } from '../../../store/database.ts';
import { insertEncoded } from '../../../store/insert.ts';
import { preparedChange } from '../../../store/prepared.ts';
import { addNewContacts } from '../../contacts/memberships.ts';
import { readBalance } from '../../credits/records.ts';
import { monthStart } from '../../credits/rules.ts';
import { lists } from '../../lists/table.ts';
import { tags } from '../../tags/table.ts';
import { saveDeliveries } from './deliveries.ts';
import type { HistoryRecords } from './records.ts';
import type { DraftStep } from './step.ts';

/** Writes a step of a history, within a transaction. @param now the end of the history, in epoch milliseconds */
export async function saveStep(db: Db, account: Account, records: HistoryRecords, step: DraftStep, now: number): Promise<void> {
  await insertEncoded(db, step.contacts);
  for (const { agent, ...continued } of step.continued) {
    await updateContact(db, continued);
    if (agent !== null) await setAgent(db, { id: continued.id, agent });
  }
  await saveMembers(db, account.id, records, step.members);
  for (const rows of step.records) await insertEncoded(db, rows);
  await saveDeliveries(db, records.webhook, step.deliveries);
  await enqueue(db, ...step.jobs);
  await changeBalance(db, account.id, step.credits, monthStart(now));
}

async function saveMembers(db: Db, accountId: string, records: HistoryRecords, members: DraftStep['members']): Promise<void> {
  const ids = [...new Set([...members.tags, ...members.lists].flat())];
  if (ids.length === 0) return;
  const rows = await db.selectFrom('contacts').select(['id', 'seq']).where('id', 'in', ids).execute();
  const seqs = new Map(rows.map(({ id, seq }) => [id, seq]));
  for (const group of ['tags', 'lists'] as const) {
    // Some may have been deleted since the history began.
    const existing = await { tags, lists }[group].existing(db, accountId, records[group]);
    for (const [index, id] of records[group].entries())
      if (existing.has(id)) await addNewContacts(db, group, id, members[group][index]?.map((member) => seqs.get(member) ?? 0) ?? []);
  }
}

async function changeBalance(db: Db, accountId: string, { added, spent }: DraftStep['credits'], month: number): Promise<void> {
  const { millionths, spent_month: spentMonth, spent_millionths: spentBefore } = await readBalance(db, accountId);
  const changed = {
    millionths: millionths + added,
    spent_month: month,
    spent_millionths: (spentMonth === month ? spentBefore : 0) + spent,
  };
  await db.updateTable('balances').set(changed).where('account_id', '=', accountId).execute();
}

const updateContact = preparedChange<{ id: string; at: number; wrote: number }>((db, $) =>
  db
    .updateTable('contacts')
    .set((eb) => ({ last_message_at: $.at, has_written: eb.case().when('has_written', '=', 1).then(1).else($.wrote).end() }))
    .where('id', '=', $.id),
);

const setAgent = preparedChange<{ id: string; agent: string }>((db, $) =>
  db.updateTable('contacts').set({ agent_id: $.agent }).where('id', '=', $.id),
);
