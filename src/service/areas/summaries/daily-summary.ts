import { findAccount } from '../../identity/accounts.ts';
import { dayLength, dayOf } from '../activity/counts.ts';
import { withJournal } from '../activity/journal.ts';
import { insertMany } from '../../store/bulk.ts';
import { iso } from '../../clock/clock.ts';
import { newId } from '../../identity/secrets.ts';
import { enqueue, type JobHandler } from '../../jobs/jobs.ts';
import { readNow } from '../../clock/state.ts';
import type { Db } from '../../store/store.ts';
import { toCredits } from '../credits/rules.ts';
import { type DayFigures, summaryText } from './rules.ts';

/** Notes that an account has messages on a day: its first brings the summary at midnight UTC (ruling, Events). */
export async function markTraffic(db: Db, accountId: string, now: number): Promise<void> {
  const day = dayOf(now);
  const [first] = await insertMany(db, 'daily_summaries', [{ account_id: accountId, day }], 'on conflict do nothing returning day');
  if (first === undefined) return;
  await enqueue(db, { kind: 'daily_summary', accountId, payload: { day }, dueAt: (day + 1) * dayLength });
}

/** Makes the handler of jobs that write the summary of a day. */
export function dailySummary(realNow: () => number): JobHandler {
  return async ({ accountId, payload }) => {
    const { day } = payload as { day: number };
    return async (db) => {
      const account = await findAccount(db, accountId ?? '');
      if (!account) return;
      const now = await readNow(db, realNow());
      const summary = { id: newId('sum'), text: summaryText(await figuresOf(db, account.id, day)), created_at: now };
      await db.updateTable('daily_summaries').set(summary).where('account_id', '=', account.id).where('day', '=', day).execute();
      const record = { id: summary.id, date: iso(day * dayLength).slice(0, 10), text: summary.text, created_at: iso(now) };
      await withJournal(db, account, now, async (journal) => journal.emit('Daily Summary Created', () => ({ summary: record })));
    };
  };
}

async function figuresOf(db: Db, accountId: string, day: number): Promise<DayFigures> {
  const names = [
    'conversations',
    'received',
    'ai_sent',
    'human_sent',
    'automated_sent',
    'replied',
    'contact_created',
    'credits_spent',
  ] as const;
  const sums = await db
    .selectFrom('daily_counts')
    .select((eb) => names.map((name) => eb.fn.sum<number>(name).as(name)))
    .where('account_id', '=', accountId)
    .where('day', '=', day)
    .executeTakeFirstOrThrow();
  return { ...sums, sent: sums.ai_sent + sums.human_sent + sums.automated_sent, credits: toCredits(sums.credits_spent) };
}
