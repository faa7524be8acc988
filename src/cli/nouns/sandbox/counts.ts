import { rebuildCounts } from '../../../contract/areas/sandbox/store.ts';
import { sandboxVerb } from '../../verb/call-verb.ts';

export const rebuildCountsVerb = sandboxVerb({
  name: 'rebuild-counts',
  endpoint: rebuildCounts,
  examples: [['msgctl sandbox rebuild-counts', 'says how many counters of each kind differed from the records']],
  shown: { columns: ['changed', 'by_counter'] },
});
