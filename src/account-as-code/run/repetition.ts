import type { Caller } from '../../contract/call.ts';
import { hasNames } from '../kind.ts';
import { kinds } from '../kinds.ts';
import { stableText } from '../values.ts';
import type { Intent, Run } from './journal.ts';

/** How a write whose outcome is unknown is sent again, so that it has no second effect where the service honours keys. */
export interface Repetition {
  /** A caller whose requests have idempotency keys that are made from a seed. */
  readonly keyed: (seed: string) => Caller;
  /** The seeds of earlier writes whose outcome is unknown, by what was written. */
  readonly unsettled: ReadonlyMap<string, string>;
}

/** What an intent writes. It is equal for the same change of another run. */
export function writeText({ kind, key, name, action, id, after }: Omit<Intent, 'number' | 'at'>): string {
  return stableText([kind, key, name, action, id, after]);
}

/**
 * The seeds of the writes of earlier runs whose outcome is unknown, by what was written. A later write of the same record settles an
 * earlier one.
 */
export function unsettledSeeds(runs: readonly Run[]): Map<string, string> {
  const last = new Map(
    runs.flatMap(({ intents, outcomes }) =>
      intents.map((intent) => [recordText(intent), { intent, isKnown: outcomes.has(intent.number) }] as const),
    ),
  );
  const open = [...last.values()].filter(({ intent, isKnown }) => !isKnown && intent.action !== 'delete');
  return new Map(open.flatMap(({ intent }) => (intent.seed === undefined ? [] : [[writeText(intent), intent.seed] as const])));
}

/** Identifies the record of an intent. One without a name is known by its content. */
function recordText({ kind, name, after }: Intent): string {
  return stableText([kind, name, hasNames(kinds[kind]) ? null : after]);
}
