import type { Caller } from '../../../contract/call.ts';
import type { Attention, ConflictChoice } from '../../../contract/areas/snapshots/endpoints.ts';
import { type SnapshotKind, snapshotKinds } from '../../../contract/areas/snapshots/kinds.ts';
import { hasNames } from '../../../account-as-code/kind.ts';
import { kinds, neededKinds } from '../../../account-as-code/kinds.ts';
import { readLive } from '../../../account-as-code/live.ts';
import type { Change, Plan } from '../../../account-as-code/plan/plan.ts';
import { whyOverBounds } from '../../../account-as-code/planner/bounds.ts';
import { findObstacles } from '../../../account-as-code/planner/obstacles.ts';
import { makePlan } from '../../../account-as-code/planner/planner.ts';
import { execute, isOpen } from '../../../account-as-code/run/execute.ts';
import type { Journal } from '../../../account-as-code/run/journal.ts';
import { type Arrival, arrivalOf, ownKey } from './arrival.ts';
import { recordsOf } from './configuration.ts';
import type { FirstPlan } from './table.ts';

/** What applying a snapshot to an account did, or why it did nothing. */
export interface Applied {
  readonly error: string | null;
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  readonly attention: readonly Attention[];
}

/** How a snapshot is applied to an account. */
export interface Application {
  readonly account: Caller;
  /** The configuration, as it is stored. */
  readonly text: string;
  readonly onConflict: ConflictChoice;
  /** By the service's clock, in epoch milliseconds. */
  readonly now: number;
  /** The plan of the first attempt; null if this is it. */
  readonly firstPlan: FirstPlan | null;
  /** Keeps the plan of the first attempt, before anything is written. */
  readonly keepPlan: (plan: FirstPlan) => Promise<void>;
}

/** An attempt reads the account again, so a run needs no journal. */
const noJournal: Journal = { intend: () => {}, settle: () => {}, end: () => {} };

/**
 * Applies a snapshot to an account, as `msgctl apply` would on the other side of the interface (rules snapshots.4 to snapshots.7).
 * After a crash it goes on with what is missing.
 * @throws UnansweredCall when the service stops meanwhile
 */
export async function applyTo(application: Application): Promise<Applied> {
  const { account, text, onConflict, firstPlan } = application;
  const live = await readLive(account, neededKinds(snapshotKinds));
  const arrival = arrivalOf(recordsOf(text), live, onConflict, new Set(firstPlan?.own));
  const { configuration } = arrival;
  const excess = firstPlan === null ? whyOverBounds(configuration.records, live) : undefined;
  if (excess !== undefined) return failedBy(excess);
  const obstacles = await findObstacles(account, configuration.records, live, [...configuration.kinds]);
  const plan = makePlan(configuration, arrival.live, { obstacles });
  const first = firstPlan ?? firstPlanOf(arrival, plan);
  if (firstPlan === null) await application.keepPlan(first);
  const { results, fatal } = await execute(plan, {
    client: account,
    live: arrival.live,
    journal: noJournal,
    now: () => application.now,
    keepSecret: () => {},
  });
  if (fatal) throw fatal;
  const failed = [...Map.groupBy(results.filter(isOpen), ({ change }) => recordText(change)).values()];
  const attention = [
    ...arrival.attention,
    ...plan.blocked.map(({ kind, key, reason }) => attentionTo(kind, key, reason)),
    ...failed.flatMap(([one]) => (one ? [attentionTo(one.change.kind, one.change.key, one.reason ?? 'it failed')] : [])),
  ];
  const made = new Set([...first.own, ...createdIn(plan)]);
  const notCreated = failed.filter((own) => own.some(({ change: { action } }) => action === 'create')).length;
  const notUpdated = failed.filter((own) => own.every(({ change }) => !made.has(recordText(change)))).length;
  return { error: null, created: first.created - notCreated, updated: first.updated - notUpdated, skipped: first.skipped, attention };
}

/** What is known of an account on which nothing was written. */
export function failedBy(reason: string): Applied {
  return { error: `Nothing was applied: ${reason}`, created: 0, updated: 0, skipped: 0, attention: [] };
}

function attentionTo(kind: string, key: string, reason: string): Attention {
  return { kind: kind as SnapshotKind, key, reason: `It was not applied: ${reason.replace(/[.]$/, '')}.` };
}

function firstPlanOf({ configuration, left }: Arrival, plan: Plan): FirstPlan {
  const own = createdIn(plan);
  const changed = new Set(plan.changes.map(recordText)).size;
  const skipped = left + configuration.records.length - changed - plan.blocked.length;
  return { created: own.length, updated: changed - own.length, skipped, own };
}

/** The records that a plan creates, by `recordText`. */
function createdIn({ changes }: Plan): string[] {
  return [...new Set(changes.filter(({ action }) => action === 'create').map(recordText))];
}

/** Identifies the record of a change. One without a key is known by the number of the change. */
function recordText({ kind, name, number }: Change): string {
  return hasNames(kinds[kind]) ? ownKey(kinds[kind], name) : `${kind} ${number}`;
}
