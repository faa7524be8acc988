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
export function severityOf(account: Attention): Severity {
  const { balance, webhooks, channels, keys_expiring: keys, imports_failed: imports, alerts_open: alerts, errors_24h: errors } = account;
  const broken = (webhooks?.disabled ?? 0) + (channels?.disconnected ?? 0);
  if (broken > 0 || (balance !== null && balance <= 0)) return 'error';
  const warnings = (webhooks?.failing ?? 0) + (keys ?? 0) + (imports ?? 0) + (alerts ?? 0) + (errors ?? 0);
  return account.low_balance || warnings > 0 ? 'warning' : 'ok';
}
