import type { Configuration } from './configuration.ts';
import { isPermanent, type KindName, kindNames, optionalKinds } from '../kind.ts';
import { titleOf } from '../record-keys.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import type { Obstacles } from './obstacles.ts';
import { type Blocked, knownRules, type Plan } from '../plan/plan.ts';
import { FilesError } from './problems.ts';
import { missingFields, wrongReferences } from './checks.ts';
import { deletionsOf } from './deletions.ts';
import { limitRecords, planUnlisted } from './unlisted-records.ts';
import { Drafts } from './drafts.ts';
import { block, blockAmbiguous, blockExcluded } from './blocking.ts';
import { Matched, type MatchedRecord } from './matched.ts';
import { ordered } from './order.ts';
import { touchNote } from './precedence.ts';
import { changedAnswerers, unconnectedNotes } from './routing.ts';

/** Options for planning. */
export interface PlanOptions {
  /** The kinds to plan; by default, those in the files. */
  readonly only?: ReadonlySet<KindName> | undefined;
  /** Kinds to prune in addition to those in account.yaml. */
  readonly prune?: ReadonlySet<KindName> | undefined;
  /** The optional kinds to plan. */
  readonly included?: ReadonlySet<KindName>;
  /** Why records cannot be created, as the service says. */
  readonly obstacles?: Obstacles;
  /** Ids of agents that an earlier run created but did not get to activate. */
  readonly unfinished?: ReadonlySet<string>;
}

/** The kinds that a plan of these files covers. */
export function plannedKinds(
  { kinds: own }: Pick<Configuration, 'kinds'>,
  { only, included }: Pick<PlanOptions, 'only' | 'included'>,
): KindName[] {
  return kindNames.filter(
    (name) => own.has(name) && (only?.has(name) ?? true) && (!optionalKinds.has(name) || included?.has(name) === true),
  );
}

/**
 * Plans the changes that make an account match the files. A pure function.
 * @throws FilesError if a reference is invalid or a new record lacks required fields
 */
export function makePlan(configuration: Configuration, live: Live, options: PlanOptions = {}): Plan {
  const names = plannedKinds(configuration, options);
  const matched = new Matched(configuration, live, names, new Set([...configuration.prune, ...(options.prune ?? [])]));
  blockExcluded(matched);
  blockAmbiguous(matched);
  const problems = [...wrongReferences(matched), ...missingFields(matched)];
  if (problems.length > 0) throw new FilesError(problems);
  block(matched, options.obstacles);
  const drafting = new Drafts(matched, options.unfinished ?? new Set());
  for (const name of names) drafting.write(kinds[name]);
  const touches = drafting.touchRules();
  const drafts = [...drafting.drafts];
  const rest = names
    .toReversed()
    .map((name) => {
      const found = planUnlisted(kinds[name], matched, drafts);
      drafts.push(...found.deletions);
      return found;
    })
    .toReversed();
  limitRecords(drafts, matched);
  return {
    version: 1,
    account: live.account.id,
    changes: ordered(drafts),
    kept: rest.flatMap(({ kept }) => kept),
    blocked: [...rest.flatMap(({ blocked }) => blocked), ...names.flatMap((name) => matched.of(name).flatMap(blockedOf))],
    answers: changedAnswerers(matched, drafts),
    notes: [
      ...configuration.notes,
      ...live.notes,
      ...unconnectedNotes(matched),
      ...matched.notPruned.map((name) => notPrunedNote(name, options.included)),
      ...(touches > 0 ? [touchNote(touches)] : []),
    ],
    deletions: deletionsOf(drafts, live.records),
    rules: knownRules(
      drafts,
      (live.records.get('rules') ?? []).map(({ id }) => id),
    ),
  };
}

function notPrunedNote(name: KindName, wanted: ReadonlySet<KindName> | undefined): string {
  if (isPermanent(kinds[name])) return `${name} ${kinds[name].identity.isOnly ? 'is' : 'are'} never pruned.`;
  if (optionalKinds.has(name) && wanted?.has(name) !== true) return `${name} are not pruned; add --with ${name} to prune them.`;
  return `${name} are not pruned, because no file has them. Write ${name}: [] to delete them all.`;
}

function blockedOf({ record: { kind, fields }, blocked }: MatchedRecord): Blocked[] {
  return blocked === undefined ? [] : [{ kind, key: titleOf(kinds[kind], fields), reason: blocked }];
}
