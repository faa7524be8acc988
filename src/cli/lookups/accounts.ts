import { getSubAccount, listSubAccounts } from '../../contract/areas/accounts/endpoints.ts';
import { lookup } from '../verb/lookup.ts';

/** The sub-accounts of an agency by name. */
export const subAccountLookup = lookup(listSubAccounts, 'sub_accounts', 'name', { what: 'sub-account', get: getSubAccount });
