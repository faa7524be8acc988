import { readClock } from '../../clock/clock.ts';
import { readState } from '../../clock/state.ts';
import { type JobDefinition, sharedFinish } from '../../jobs/job.ts';
import { freeJobs } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { recordRuns, type Run } from './deliveries.ts';
import { abandonReplay, continueReplay, dueInReplay, type ReplayPayload } from './replays.ts';

/** The number of deliveries of a replay that are looked at in one part. Most of them can be such that are dropped. */
const readAtOnce = 500;

/** How long a replay rests while live deliveries wait, in milliseconds of real time. */
const restLength = 200;

/** A part of a replay. */
interface Part {
  readonly payload: ReplayPayload;
  readonly accountId: string;
  readonly runs: readonly Run[];
  readonly waitUntil: number;
}

/** Sends a replay, part by part. */
export const webhookReplay: JobDefinition<'webhook_replay'> = {
  isLarge: () => true,
  run: async ({ payload, accountId }, { deliveries, store, realNow }) => {
    const due = await store.read(async (db) => {
      const state = await readState(db);
      const now = readClock(state, realNow());
      const live = freeJobs(db, now, state.hold, realNow()).where('lane', '=', payload.lane).where('kind', '=', 'webhook_delivery');
      const isBehind = (await live.limit(1).executeTakeFirst()) !== undefined;
      return isBehind ? null : await dueInReplay(db, payload.replay, now, readAtOnce);
    });
    const runs = due === null ? [] : await deliveries.runReplay(due);
    const waitUntil = due === null ? realNow() + restLength : 0;
    const part: Part = { payload, accountId: accountId ?? '', runs, waitUntil };
    return sharedFinish(
      finishParts,
      part,
      runs.map(({ delivery }) => delivery.accountId),
    );
  },
  giveUp:
    ({ payload }) =>
    async (db) =>
      await abandonReplay(db, payload.replay),
};

async function finishParts(db: Db, parts: readonly Part[], now: number): Promise<void> {
  await recordRuns(
    db,
    parts.flatMap(({ runs }) => runs),
  );
  for (const { payload, accountId, waitUntil } of parts) await continueReplay(db, payload, accountId, now, waitUntil);
}
