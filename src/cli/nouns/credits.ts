import { getCredits } from '../../contract/areas/credits/endpoints.ts';
import { callVerb, type Noun } from '../command/command.ts';

export const credits: Noun = {
  name: 'credits',
  summary: 'Show the credit balance',
  verbs: [
    callVerb({
      name: '',
      endpoint: getCredits,
      examples: [
        ['msgctl credits', 'what is left'],
        ['msgctl credits --sub-account acc_1 -o json', 'of a sub-account, for scripts'],
      ],
      shown: { columns: ['balance', 'monthly_credits', 'used_this_month', 'auto_recharge_enabled', 'low_credit_threshold'] },
    }),
  ],
};
