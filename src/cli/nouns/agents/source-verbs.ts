import * as contract from '../../../contract/areas/agents/endpoints.ts';
import { callVerb } from '../../verb/call-verb.ts';
import type { Verb } from '../../verb/noun.ts';
import { agentArgument } from '../../lookups/agents.ts';
import { sourceLookup } from '../../lookups/sources.ts';

const sourcesArgument = {
  field: 'kb_source_ids',
  name: 'source',
  summary: 'the addresses, titles or ids of knowledge sources',
  isRepeated: true,
  lookup: sourceLookup,
} as const;

/** The verbs of the knowledge sources of an agent. */
export const sourceVerbs: readonly Verb[] = [
  callVerb({
    name: 'sources attach',
    endpoint: contract.attachSources,
    examples: [['msgctl agents sources attach Ada https://shop.example/faq prices.pdf', 'let an agent answer from two sources']],
    arguments: [agentArgument, sourcesArgument],
    shown: { columns: ['agent_id', 'kb_source_ids'] },
  }),
  callVerb({
    name: 'sources detach',
    endpoint: contract.detachSources,
    examples: [['msgctl agents sources detach Ada src_1', 'the source stays']],
    arguments: [agentArgument, sourcesArgument],
    shown: { columns: ['agent_id', 'kb_source_ids'] },
  }),
];
