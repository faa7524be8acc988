import type { Severity } from './endpoints.ts';

/** What a severity depends on. A count that is not known is null. */
export interface Attention {
  readonly balance: number | null;
  readonly low_balance: boolean;
  readonly webhooks: { readonly disabled: number; readonly failing: number } | null;
  readonly channels: { readonly disconnected: number } | null;
  readonly keys_expiring: number | null;
  readonly imports_failed: number | null;
  readonly alerts_open: number | null;
  readonly errors_24h: number | null;
}

/** How urgently an account needs attention (rule agency.3). */
export function severityOf({ balance, low_balance: isLow, webhooks, channels, ...counts }: Attention): Severity {
  const isBroken = (webhooks?.disabled ?? 0) > 0 || (channels?.disconnected ?? 0) > 0;
  if (isBroken || (balance !== null && balance <= 0)) return 'error';
  const { keys_expiring, imports_failed, alerts_open, errors_24h } = counts;
  const warnings = [webhooks?.failing, keys_expiring, imports_failed, alerts_open, errors_24h];
  return isLow || warnings.some((count) => (count ?? 0) > 0) ? 'warning' : 'ok';
}
