import { rebuildCounts } from '../../../contract/areas/sandbox/store.ts';
import { sandboxVerb } from '../../verb/call-verb.ts';

export const rebuildCountsVerb = sandboxVerb({
  name: 'rebuild-counts',
  endpoint: rebuildCounts,
  examples: [['msgctl sandbox rebuild-counts', 'shows how many counters of each kind were wrong']],
  shown: { columns: ['changed', 'by_counter'] },
});
