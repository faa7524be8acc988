import { listPlans } from '../../contract/areas/billing/endpoints.ts';
import { fold } from '../../contract/text/fold.ts';
import { lookup } from '../verb/lookup.ts';

/** The plans that the account can choose, by name. */
export const planLookup = lookup(listPlans, 'plans', 'name', { what: 'plan', folded: fold });
