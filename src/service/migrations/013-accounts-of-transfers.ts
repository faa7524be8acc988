import { migration } from '../store/migration.ts';

const isTransfer = "reason in ('transfer_in', 'transfer_out')";

/**
 * The other account of a transfer. That of a sub-account is its agency. That of an agency is the one sub-account whose record of the
 * same time has the opposite amount; if there are several, it is not known.
 */
export const accountsOfTransfers = migration('0.3.0 accounts of transfers', () => [
  'alter table credit_ledger add column transfer_account_id text',
  `update credit_ledger set transfer_account_id = (select parent_id from accounts where accounts.id = credit_ledger.account_id)
    where ${isTransfer}`,
  `update credit_ledger set transfer_account_id = (
      select case when count(*) = 1 then min(other.account_id) end
      from accounts join credit_ledger other on other.account_id = accounts.id
      where accounts.parent_id = credit_ledger.account_id and other.at = credit_ledger.at and other.${isTransfer}
        and other.millionths = 0 - credit_ledger.millionths)
    where ${isTransfer} and transfer_account_id is null`,
]);
