import { getHealth } from '../../contract/areas/health/endpoints.ts';
import { callVerb } from '../verb/call-verb.ts';
import type { Noun } from '../verb/noun.ts';

export const health: Noun = {
  name: 'health',
  verbs: [
    callVerb({
      name: '',
      endpoint: getHealth,
      summary: 'Check that the service answers and the key works',
      examples: [
        ['msgctl health', 'exits 0 when the service answers and the key works'],
        ['msgctl health --base-url https://api.example.com/v1', 'check another service'],
      ],
      shown: { columns: ['status', 'version', 'account_id', 'time'] },
    }),
  ],
};
