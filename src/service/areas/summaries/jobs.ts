import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import { accountJob } from '../activity/account-job.ts';
import { dayLength } from '../../../contract/time/days.ts';
import { dayOf } from '../activity/counts.ts';
import { toCredits } from '../../store/millionths.ts';
import { summaryRecord } from './records.ts';
import { type SummaryFigures, summaryText } from './rules.ts';
import { dailySummaries, summaries } from './table.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    /** The day, as the number of days since 1970-01-01. */
    daily_summary: { readonly day: number };
  }
}

const summariesOf = prepared<{ accounts: string; day: number }, { account_id: string }>((db, $) =>
  db
    .selectFrom('daily_summaries')
    .select('account_id')
    .where(isAmong(db, 'account_id', $.accounts))
    .where('day', '=', $.day),
);

/** The accounts that already have a summary for today, written or queued. */
export async function readSummarised(db: Db, accountIds: readonly string[], now: number): Promise<Set<string>> {
  const rows = await summariesOf(db, { accounts: JSON.stringify(accountIds), day: dayOf(now) });
  return new Set(rows.map(({ account_id: id }) => id));
}

/** Queues today's summary for accounts that have none. Summaries are due at midnight UTC. */
export async function queueSummaries(db: Db, accountIds: readonly string[], now: number): Promise<void> {
  const day = dayOf(now);
  const rows = accountIds.map((id) => ({ account_id: id, day }));
  await insertMany(db, dailySummaries, rows);
  await enqueue(
    db,
    ...accountIds.map((accountId) => ({ kind: 'daily_summary', accountId, payload: { day }, dueAt: (day + 1) * dayLength }) as const),
  );
}

/** Writes the summary of a day. */
export const dailySummary = accountJob<'daily_summary'>(async (db, journal, { payload: { day } }) => {
  const { account, now } = journal;
  const summary = {
    id: newId('sum'),
    account_id: account.id,
    kind: 'daily',
    day,
    chat_session_id: null,
    contact_id: null,
    text: summaryText(await figuresOf(db, account.id, day)),
    created_at: now,
  } as const;
  await insertMany(db, summaries, [summary]);
  journal.emit('Daily Summary Created', () => ({ summary: summaryRecord(summary) }));
});

async function figuresOf(db: Db, accountId: string, day: number): Promise<SummaryFigures> {
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
