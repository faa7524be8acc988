import { iso, parseInstant } from '../../../contract/time/instants.ts';
import { frozenAt, readClock, runningFrom } from '../../clock/clock.ts';
import { lockState, readState, updateState } from '../../clock/state.ts';
import { ApiError, invalidField } from '../../errors.ts';
import type { AreaHandlers, Service } from '../../http/handler.ts';
import { countJobs } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { createFirstAccount } from './first-account.ts';

/** The time limit of `sandbox.settle`, in real milliseconds. */
const settleTimeout = 30_000;

async function showJobs({ store }: Service) {
  return await store.read(async (db) => ({ hold: (await readState(db)).hold, waiting: await countJobs(db) }));
}

/** The tables that not every engine empties along with the accounts. */
const unreferenced = [
  ...(['jobs', 'rate_windows', 'request_log', 'kept_answers', 'faq_terms', 'faq_words', 'faq_spellings', 'contact_counts'] as const),
  ...(['messages', 'message_statuses', 'reply_traces', 'decisions', 'chat_sessions', 'contacts', 'credit_ledger'] as const),
  ...(['contact_tags', 'list_contacts', 'broadcast_recipients'] as const),
];

/** Deletes all records, jobs and faults. The sandbox token and the clock are kept. */
async function emptyStore(db: Db): Promise<void> {
  // Deleting an account cascades to its sub-accounts and most records. It waits for transactions that write for them.
  await db.deleteFrom('accounts').where('parent_id', 'is', null).execute();
  for (const table of unreferenced) await db.deleteFrom(table).execute();
  await updateState(db, { hold: [], faults: [] });
}

type ClockEndpoint = `sandbox.${'reset' | 'settle' | 'clock.get' | 'clock.set' | 'clock.advance' | 'jobs.get' | 'jobs.hold'}`;

/** Handlers for the store as a whole, its clock and its jobs. */
export const clockHandlers: Pick<AreaHandlers<'sandbox'>, ClockEndpoint> = {
  'sandbox.reset': async ({ service }) => {
    const { accountId, apiKey } = await service.replaceStore(
      async () =>
        await service.store.write(async (db) => {
          const now = readClock(await lockState(db), service.realNow());
          await emptyStore(db);
          return await createFirstAccount(db, now);
        }),
    );
    return { account_id: accountId, api_key: apiKey };
  },

  'sandbox.clock.get': async ({ now, state }) => ({ now: iso(now), frozen: state.clock_frozen }),

  'sandbox.clock.set': async ({ service, body }) =>
    await service.store.write(async (db) => {
      const state = await lockState(db);
      if (state.advance_until > service.realNow()) throw new ApiError(409, 'An advance of the clock is running');
      const reading = readClock(state, service.realNow());
      const wanted = body.now === undefined ? reading : (parseInstant(body.now) as number);
      if (wanted < reading) throw invalidField('now', `must not be earlier than the current time of the clock, ${iso(reading)}`);
      const clock = body.frozen === false ? runningFrom(wanted, service.realNow()) : frozenAt(wanted);
      await updateState(db, clock);
      return { now: iso(wanted), frozen: clock.clock_frozen };
    }),

  'sandbox.clock.advance': async ({ service, body }) => {
    const { now, fired } = await service.jobs.advance(body.seconds);
    return { now: iso(now), fired };
  },

  'sandbox.settle': async ({ service }) => {
    const { jobsRun, drained } = await service.jobs.drain(settleTimeout);
    if (!drained) throw new ApiError(504, `Jobs are still due after ${settleTimeout / 1000} seconds`);
    return { jobs_run: jobsRun };
  },

  'sandbox.jobs.get': async ({ service }) => await showJobs(service),

  'sandbox.jobs.hold': async ({ service, body }) => {
    const hold = body.hold === 'all' ? 'all' : [...new Set(body.hold)];
    await service.store.write((db) => updateState(db, { hold }));
    return await showJobs(service);
  },
};
