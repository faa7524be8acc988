/** The columns of the accounts of an agency. */
export const clientColumns = [
  'sub_account_id',
  'sub_account',
  'severity',
  'balance',
  'low_balance',
  'webhooks.total',
  'webhooks.off',
  'webhooks.disabled',
  'webhooks.failing',
  'channels.total',
  'channels.disconnected',
  'keys_expiring',
  'imports_failed',
  'alerts_open',
  'errors_24h',
  'last_message_at',
] as const;
