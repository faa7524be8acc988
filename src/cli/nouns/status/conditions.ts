import { type Attention } from '../../../contract/areas/agency/severity.ts';

/** What `--fail-on` can look for in an account: fixed words, as `webhooks health` has them beside comparisons. */
const conditions = {
  low: ({ low_balance: isLow, balance }: Attention) => isLow || (balance !== null && balance <= 0),
  disabled: ({ webhooks }: Attention) => (webhooks?.disabled ?? 0) > 0,
  failing: ({ webhooks }: Attention) => (webhooks?.failing ?? 0) > 0,
  disconnected: ({ channels }: Attention) => (channels?.disconnected ?? 0) > 0,
  expiring: ({ keys_expiring: count }: Attention) => (count ?? 0) > 0,
  imports: ({ imports_failed: count }: Attention) => (count ?? 0) > 0,
  alerts: ({ alerts_open: count }: Attention) => (count ?? 0) > 0,
  errors: ({ errors_24h: count }: Attention) => (count ?? 0) > 0,
} as const;

export type Condition = keyof typeof conditions;

export const conditionNames = Object.keys(conditions) as Condition[];

/** Whether one of the conditions is met. */
export function meetsAny(account: Attention, wanted: readonly Condition[] | undefined): boolean {
  return wanted?.some((each) => conditions[each](account)) ?? false;
}
