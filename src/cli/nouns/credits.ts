import { getCredits } from '../../contract/areas/credits/endpoints.ts';
import { callVerb } from '../verb/call-verb.ts';
import type { Noun } from '../verb/noun.ts';

export const credits: Noun = {
  name: 'credits',
  verbs: [
    callVerb({
      name: '',
      endpoint: getCredits,
      examples: [
        ['msgctl credits', 'the balance of your account'],
        ['msgctl credits --sub-account acc_1 -o json', 'the balance of a sub-account as JSON'],
      ],
      shown: { columns: ['balance', 'monthly_credits', 'used_this_month', 'auto_recharge_enabled', 'low_credit_threshold'] },
    }),
  ],
};
