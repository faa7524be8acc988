import type { Intent, Run } from './journal.ts';
import type { LiveRecord } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import { isSame, pick } from '../values.ts';

/** A secret that a run made and did not come to show, because the answer was lost. */
interface LostSecret {
  readonly run: string;
  readonly intent: Intent;
  readonly live: LiveRecord;
}

/** The secrets of live records of which the last run that made one did not get the answer. */
export function lostSecrets(runs: readonly Run[], live: Pick<Live, 'records'>): LostSecret[] {
  const makings = runs.flatMap(({ run, intents, outcomes }) =>
    intents
      .filter(({ kind, action, after }) => after !== null && kinds[kind].makesSecret?.(action, after) === true)
      .map((intent) => ({ run, intent, isAnswered: outcomes.has(intent.number) })),
  );
  const last = new Map(makings.map((each) => [`${each.intent.kind}\0${each.intent.key}`, each]));
  return [...last.values()].flatMap(({ run, intent, isAnswered }) => {
    const { kind, name } = intent;
    const found = isAnswered ? undefined : live.records.get(kind)?.find(({ fields }) => isSame(pick(fields, Object.keys(name)), name));
    return found ? [{ run, intent, live: found }] : [];
  });
}
