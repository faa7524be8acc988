import type { KindName } from '../kind.ts';
import { nameFieldOf } from '../record-keys.ts';
import { referencesOf } from '../references.ts';
import { kinds } from '../kinds.ts';
import { Obstacles } from './obstacles.ts';
import { isSame } from '../values.ts';
import { whyExcluded, whyNoRoom, whyUnwritable } from './bounds.ts';
import { resembling } from './deletions.ts';
import type { Matched, MatchedRecord } from './matched.ts';
import { reasonsToKeep } from './unlisted-records.ts';

/** Marks the records that cannot be written as blocked, with the reason. */
export function block(matched: Matched, obstacles = new Obstacles()): void {
  refuse(matched, obstacles);
  refuseShared(matched);
  blockResembling(matched);
  checkBounds(matched);
  blockDependents(matched);
}

/** Blocks records of kinds that the plan of the account does not include; their live records are unknown. */
export function blockExcluded(matched: Matched): void {
  for (const name of matched.names) {
    const reason = whyExcluded(name, matched.live.bounds);
    if (reason !== undefined) for (const planned of matched.of(name)) planned.blocked ??= reason;
  }
}

/** Blocks records whose references match several records. */
export function blockAmbiguous(matched: Matched): void {
  for (const name of matched.names)
    for (const planned of matched.of(name))
      for (const { kind: target, name: text, title } of referencesOf(kinds[name], planned.record.fields))
        if (matched.target(target, text) === 'ambiguous' && !isUnchanged(planned, target, text))
          planned.blocked ??= `the ${kinds[target].noun} '${title}' is ambiguous`;
}

/** Whether a live record already has a reference, so that the reference need not be resolved. */
function isUnchanged({ live, record, changed }: MatchedRecord, target: KindName, name: string): boolean {
  return live !== undefined && !referencesOf(kinds[record.kind], changed).some((each) => each.kind === target && each.name === name);
}

function refuse(matched: Matched, obstacles: Obstacles): void {
  for (const name of matched.names)
    for (const planned of matched.of(name)) {
      if (planned.blocked !== undefined) continue;
      const { changed, live, record } = planned;
      if (!live) planned.blocked = obstacles.to(record);
      if (Object.keys(changed).length > 0) planned.blocked ??= whyUnwritable(name, changed, live, matched.live.bounds);
    }
}

/** A FAQ that several campaigns share is a single record, so it cannot differ between them. */
function refuseShared(matched: Matched): void {
  for (const name of matched.names) {
    const { noun, identity } = kinds[name];
    if (identity.dividedBy === undefined) continue;
    const shared = Map.groupBy(
      matched.of(name).filter(({ live }) => live),
      ({ live }) => live?.id ?? '',
    );
    for (const [, group] of shared) {
      if (group.length === 1) continue;
      const [first, ...others] = group.map(({ record }) => ({ ...record.fields, [identity.dividedBy as string]: null }));
      if (first && others.some((fields) => !isSame(first, fields)))
        for (const planned of group)
          planned.blocked ??= `several ${identity.dividedBy}s share this ${noun}, but the files give it different values`;
    }
  }
}

/** Blocks a new record that looks like a renamed one until `was` is set, and keeps the one that it resembles. */
function blockResembling(matched: Matched): void {
  for (const name of matched.names) {
    const kind = kinds[name];
    if (kind.identity.hasFixedName || !matched.isPruned(name)) continue;
    const fresh = matched.of(name).filter(({ live, blocked }) => !live && blocked === undefined);
    for (const { planned, live } of resembling(kind, fresh, matched.unmatched(name))) {
      const was = String(live.fields[nameFieldOf(kind)]);
      planned.blocked = `this may be a rename of the ${kind.noun} '${was}', which would otherwise be deleted: if so, add was: ${was}`;
      matched.kept.add(live);
    }
  }
}

function checkBounds(matched: Matched): void {
  for (const name of matched.names) {
    const fresh = matched.of(name).filter(({ live, blocked }) => !live && blocked === undefined);
    const pruned = fresh.length === 0 ? [] : matched.deletable(name);
    const reasonOf = reasonsToKeep(kinds[name], matched, pruned);
    const deleted = pruned.filter((live) => reasonOf(live) === undefined).length;
    for (const [made, planned] of fresh.entries()) planned.blocked = whyNoRoom(name, matched.live, { made, deleted });
  }
}

/** Blocks records that refer to a blocked record. */
function blockDependents(matched: Matched): void {
  for (const name of matched.names)
    for (const planned of matched.of(name)) {
      if (planned.blocked !== undefined) continue;
      for (const { kind, name: text, title } of referencesOf(kinds[name], planned.record.fields)) {
        if (isUnchanged(planned, kind, text)) continue;
        const target = matched.target(kind, text);
        if (target !== undefined && target !== 'ambiguous' && 'record' in target && target.blocked !== undefined)
          planned.blocked = `it needs the ${kinds[kind].noun} '${title}', which is blocked`;
      }
    }
}
