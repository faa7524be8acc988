import * as contract from '../../../contract/areas/sandbox/requests.ts';
import { sandboxVerb } from '../../verb/call-verb.ts';

export const requestVerbs = [
  sandboxVerb({
    name: 'requests list',
    endpoint: contract.listRequests,
    examples: [['msgctl sandbox requests list --limit 20', 'the 20 latest requests']],
    shown: { columns: ['at', 'method', 'path', 'status', 'duration_ms', 'account_id', 'key_preview', 'request_id'] },
  }),
];
