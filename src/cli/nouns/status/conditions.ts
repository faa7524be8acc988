import type { Attention } from '../../../contract/areas/agency/severity.ts';
import { parseCondition, type RowTest, type Vocabulary } from '../../output/conditions.ts';
import type { ResultRow } from '../../output/result.ts';
import { timesOf } from '../../verb/condition-times.ts';
import type { Session } from '../../verb/noun.ts';
import { clientColumns } from './client-columns.ts';

/** What can be wrong with an account, in a word. */
const words: Readonly<Record<string, (account: Attention) => boolean>> = {
  low: ({ low_balance: isLow, balance }) => isLow || (balance !== null && balance <= 0),
  disabled: ({ webhooks }) => (webhooks?.disabled ?? 0) > 0,
  failing: ({ webhooks }) => (webhooks?.failing ?? 0) > 0,
  disconnected: ({ channels }) => (channels?.disconnected ?? 0) > 0,
  expiring: ({ keys_expiring: count }) => (count ?? 0) > 0,
  imports: ({ imports_failed: count }) => (count ?? 0) > 0,
  alerts: ({ alerts_open: count }) => (count ?? 0) > 0,
  errors: ({ errors_24h: count }) => (count ?? 0) > 0,
};

export const conditionNames = Object.keys(words);

/** The words for `--where` and `--fail-on`. */
export const statusConditions = { words: words as unknown as NonNullable<Vocabulary['words']> };

/**
 * Parses the conditions of `--fail-on`.
 * @returns whether a row of an account meets one of them
 * @throws CliError 2 if one is invalid
 */
export function parseFailOn(
  conditions: readonly string[],
  session: Pick<Session, 'serviceTime' | 'world'>,
): (row: object) => Promise<boolean> {
  const fields = ['balance', ...clientColumns];
  const tests: RowTest[] = conditions.map((text) =>
    parseCondition(text, { option: '--fail-on', fields, ...statusConditions, ...timesOf(session) }),
  );
  return async (row) => {
    for (const test of tests) if (await test(row as ResultRow)) return true;
    return false;
  };
}
