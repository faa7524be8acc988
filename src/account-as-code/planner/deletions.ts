import { counted } from '../../contract/text/counted.ts';
import { fold } from '../../contract/text/fold.ts';
import { isSimilar } from '../../contract/text/similarity.ts';
import type { Kind, LiveRecord } from '../kind.ts';
import type { Live } from '../live.ts';
import { keyOf, nameFieldOf } from '../record-keys.ts';
import { kinds } from '../kinds.ts';
import type { Change, Plan } from '../plan/plan.ts';
import { type Fields, isFields, isSame } from '../values.ts';
import type { Match } from './match.ts';

/** Minimum similarity of two names (0 to 1) for records to be considered the same. */
const alike = 0.8;

/** Maximum share of a kind's records that can be deleted without explicit permission. */
const share = 0.3;
/** Minimum number of records for that limit to apply. */
const many = 10;

/** Pairs of a new record and a record to be deleted that could be the same, renamed. */
export function resembling<Each extends Match>(kind: Kind, fresh: readonly Each[], deleted: readonly LiveRecord[]) {
  const pairs: { planned: Each; live: LiveRecord }[] = [];
  for (const planned of fresh) {
    const live = deleted.find((each) => resemble(kind, planned.record.fields, each.fields) && !pairs.some((pair) => pair.live === each));
    if (live) pairs.push({ planned, live });
  }
  return pairs;
}

function resemble(kind: Kind, wanted: Fields, live: Fields): boolean {
  const name = nameFieldOf(kind);
  const others = kind.identity.key.filter((field) => field !== name);
  if (!others.every((field) => isSame(wanted[field], live[field]))) return false;
  if (isSimilar(fold(String(wanted[name])), fold(String(live[name])), alike)) return true;
  const distinctive = Object.entries(wanted).filter(([field, value]) => !kind.identity.key.includes(field) && isDistinctive(value));
  return distinctive.length > 0 && distinctive.filter(([field, value]) => isSame(value, live[field])).length * 2 >= distinctive.length;
}

/**
 * Whether a value is distinctive enough to identify a record (rule account-as-code.12). Booleans and empty values are not,
 * because most records share them.
 */
function isDistinctive(value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean' || value === '' || value === 0) return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isFields(value) || Object.keys(value).length > 0;
}

/**
 * The number of deletions, and why they must be allowed explicitly.
 * @param changes drafts, or the changes of a saved plan. Those that were already made are no reason
 */
export function deletionsOf(
  changes: readonly Pick<Change, 'kind' | 'key' | 'action' | 'id' | 'name'>[],
  live: Live['records'],
): Plan['deletions'] {
  const deletions = changes.filter(isDeletion);
  const reasons = [...Map.groupBy(deletions, ({ kind }) => kind)].map(([name, own]) => {
    const kind = kinds[name];
    const all = live.get(name) ?? [];
    const records = new Map(all.map((record) => [kind.identity.hasNewId ? keyOf(kind, record.fields) : record.id, record]));
    const found = own.flatMap((change) => {
      const record = records.get(kind.identity.hasNewId ? keyOf(kind, change.name) : (change.id ?? ''));
      return record ? [{ ...change, loses: kind.loss?.ofDeletion?.(record) }] : [];
    });
    const isMost = all.length >= many && found.length > share * all.length;
    return {
      shares: isMost ? [`${found.length} of ${counted(all.length, kind.noun)}`] : [],
      lost: found.flatMap(({ key, loses }) => (loses === undefined ? [] : [`the ${kind.noun} '${key}': ${loses}`])),
    };
  });
  return { count: deletions.length, reasons: [...reasons.flatMap(({ shares }) => shares), ...reasons.flatMap(({ lost }) => lost)] };
}

/** Whether a change deletes a record, if only to recreate it. */
function isDeletion({ kind, action }: Pick<Change, 'kind' | 'action'>): boolean {
  return action === 'delete' || (action === 'update' && kinds[kind].writing.isRemade === true);
}
