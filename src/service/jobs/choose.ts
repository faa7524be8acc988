import { sql } from 'kysely';
import type { Hold } from '../clock/table.ts';
import type { Db } from '../store/database.ts';
import { locksRows } from '../store/prepared.ts';
import type { StoredRow } from '../store/table.ts';
import type { LanePlan } from './lanes.ts';
import { freeJobs } from './queue.ts';
import type { jobs } from './table.ts';

/** The number of jobs in the first read, and the number read from each lane when lanes are searched individually. */
const firstStep = 64;
const laneStep = 16;

/** The conditions for a job to be due. */
interface Due {
  /** The time of the service's clock. */
  readonly now: number;
  readonly hold: Hold;
  readonly realNow: number;
}

type StoredJob = StoredRow<typeof jobs>;

/**
 * Chooses the due jobs to run next, in order. Skips jobs of lanes that have used their share. On PostgreSQL, the rows are locked.
 * @param isRunning whether this process is still running a job
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
  // Reads a few jobs first, and more as long as none is refused: jobs of a nearly full lane would otherwise be read and locked
  // unnecessarily.
  for (let limit = firstStep; plan.free > 0; limit *= 4) {
    const read = await choose(free().limit(Math.min(limit, plan.free + chosen.size)));
    if (plan.full.size > 0 || read < limit) break;
  }
  // Full lanes can have a million jobs ahead of those in other lanes. The other lanes are then searched individually.
  if (plan.full.size > 0 && plan.free > 0)
    for (const lane of await waitingLanes(db, now)) {
      if (plan.free === 0) break;
      if (plan.isFull(lane)) continue;
      const known = [...chosen.values()].filter((row) => row.lane === lane).length;
      await choose(
        free()
          .where('lane', '=', lane)
          .limit(laneStep + known),
      );
    }
  return [...chosen.values()];
}

/** The lanes that have due jobs. Finding each lane takes two index lookups, however many jobs it has. */
async function waitingLanes(db: Db, now: number): Promise<string[]> {
  const { rows } = await sql<{ lane: string }>`
    with recursive waiting (lane) as (
      select (select lane from jobs where failure is null order by lane, due_at, seq limit 1)
      union all
      select (select lane from jobs where failure is null and lane > waiting.lane order by lane, due_at, seq limit 1)
      from waiting where waiting.lane is not null)
    select lane from waiting
    where lane is not null and exists (select 1 from jobs where failure is null and jobs.lane = waiting.lane and due_at <= ${now})`.execute(
    db,
  );
  return rows.map(({ lane }) => lane);
}
