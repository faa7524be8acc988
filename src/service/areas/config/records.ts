import type { Caller } from '../../identity/caller.ts';
import type { Account } from '../../identity/accounts.ts';
import { toCredits } from '../../store/millionths.ts';

/** The settings of an account as answers show them. Billing is null for members who may not see it. */
export function configRecord(account: Account, caller: Caller) {
  const seesBilling = caller.kind !== 'member' || caller.role === 'owner' || caller.permissions.includes('billing.view');
  const { lowCreditThreshold: threshold } = account;
  return {
    business_name: account.businessName,
    timezone: account.timezone,
    language: account.language,
    default_country: account.defaultCountry,
    session_hours: account.sessionHours,
    quiet_hours: account.quietHours && { ...account.quietHours },
    low_credit_threshold: seesBilling && threshold !== null ? toCredits(threshold) : null,
    auto_recharge_enabled: seesBilling ? account.autoRechargeEnabled : null,
    auto_recharge_credits: seesBilling ? toCredits(account.autoRechargeCredits) : null,
  };
}
