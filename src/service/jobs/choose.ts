import { sql } from 'kysely';
import type { Hold } from '../clock/table.ts';
import type { Db } from '../store/database.ts';
import { locksRows } from '../store/prepared.ts';
import type { StoredRow } from '../store/table.ts';
import type { LanePlan } from './lanes.ts';
import { freeJobs } from './queue.ts';
import type { jobs } from './table.ts';

/** How many jobs are read first, and how many of a lane at a time, when the lanes are searched one by one. */
const firstStep = 64;
const laneStep = 16;

/** The conditions for a due job. */
interface Due {
  /** The time of the service's clock. */
  readonly now: number;
  readonly hold: Hold;
  readonly realNow: number;
}

type StoredJob = StoredRow<typeof jobs>;

/**
 * Chooses the due jobs to run next, in order, without those of lanes that have used their share. On PostgreSQL, the
 * rows are locked.
 * @param isRunning whether this process still runs a job
 */
export async function chooseJobs(
  db: Db,
  { now, hold, realNow }: Due,
  plan: LanePlan,
  isRunning: (id: string) => boolean,
): Promise<StoredJob[]> {
  const chosen = new Map<string, StoredJob>();
  const free = () => freeJobs(db, now, hold, realNow);
  const choose = async (query: ReturnType<typeof free>) => {
    const rows = await (locksRows(db) ? query.forUpdate().skipLocked() : query).execute();
    for (const row of rows) if (!chosen.has(row.id) && !isRunning(row.id) && plan.enter(row.lane)) chosen.set(row.id, row);
    return rows.length;
  };
  // The jobs of a lane that is almost full would be read and locked in vain, so it begins with some, and goes on while none is refused.
  for (let limit = firstStep; plan.free > 0; limit *= 4) {
    const read = await choose(free().limit(Math.min(limit, plan.free + chosen.size)));
    if (plan.refused.size > 0 || read < limit) break;
  }
  // A full lane can have a million waiting jobs ahead of the others. The other lanes are then searched one by one.
  if (plan.refused.size > 0 && plan.free > 0)
    for (const lane of await waitingLanes(db)) {
      if (plan.free === 0) break;
      if (plan.refused.has(lane)) continue;
      const known = [...chosen.values()].filter((row) => row.lane === lane).length;
      await choose(
        free()
          .where('lane', '=', lane)
          .limit(laneStep + known),
      );
    }
  return [...chosen.values()];
}

/** The lanes that have jobs. Each takes one step in the index, however many jobs it has. */
async function waitingLanes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ lane: string }>`
    with recursive waiting (lane) as (
      select min(lane) from jobs where failure is null
      union all
      select (select min(lane) from jobs where failure is null and lane > waiting.lane) from waiting where waiting.lane is not null)
    select lane from waiting where lane is not null`.execute(db);
  return rows.map(({ lane }) => lane);
}
