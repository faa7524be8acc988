import { fillHistory } from '../../../contract/areas/sandbox/endpoints.ts';
import { sandboxVerb } from '../../command/call-verb.ts';

export const demoVerb = sandboxVerb({
  name: 'demo',
  endpoint: fillHistory,
  examples: [['msgctl sandbox demo --messages 100000 --days 180', 'a history to try analytics on']],
  fields: [{ field: 'messages', placeholder: 'count' }, { field: 'days', placeholder: 'count' }, 'seed'],
  shown: { columns: ['contacts', 'sessions', 'messages', 'ledger_records', 'ai_calls', 'appointments', 'deliveries'] },
});
