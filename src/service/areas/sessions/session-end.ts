import { findAccount } from '../../identity/accounts.ts';
import { withJournal } from '../activity/journal.ts';
import { enqueue, type JobHandler } from '../../jobs/jobs.ts';
import { readNow } from '../../clock/state.ts';
import { conclude, endJob } from './open-sessions.ts';
import { endsAt } from './rules.ts';

/** Makes the handler of jobs that conclude a conversation once it was silent for long enough. */
export function sessionEnd(realNow: () => number): JobHandler {
  return async ({ payload }) => {
    const { session: id } = payload as { session: string };
    return async (db) => {
      const session = await db
        .selectFrom('chat_sessions')
        .selectAll()
        .where('id', '=', id)
        .where('concluded_at', 'is', null)
        .executeTakeFirst();
      const account = session && (await findAccount(db, session.account_id));
      if (!account) return;
      const now = await readNow(db, realNow());
      if (endsAt(session) > now) await enqueue(db, endJob(session));
      else await withJournal(db, account, now, (journal) => conclude(db, journal, session));
    };
  };
}
