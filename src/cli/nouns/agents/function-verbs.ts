import { attachFunctions, detachFunction, listAgentFunctions } from '../../../contract/areas/functions/endpoints.ts';
import { callVerb } from '../../verb/call-verb.ts';
import type { Verb } from '../../verb/noun.ts';
import { agentArgument } from '../../lookups/agents.ts';
import { functionLookup } from '../../lookups/functions.ts';

const shared = { arguments: [agentArgument] } as const;

/** The verbs of the functions that an agent can call. */
export const functionVerbs: readonly Verb[] = [
  callVerb({
    ...shared,
    name: 'functions list',
    endpoint: listAgentFunctions,
    examples: [['msgctl agents functions list Ada', 'the functions that an agent can call']],
    shown: { columns: ['id', 'name', 'description', 'method', 'url', 'enabled', 'signing_enabled'] },
  }),
  callVerb({
    name: 'functions add',
    endpoint: attachFunctions,
    examples: [['msgctl agents functions add Ada get_weather get_stock', 'let an agent call two functions']],
    arguments: [
      agentArgument,
      {
        field: 'custom_function_ids',
        name: 'function',
        summary: 'the ids or the names of functions',
        isRepeated: true,
        lookup: functionLookup,
      },
    ],
    shown: { columns: ['agent_id', 'custom_function_ids'] },
  }),
  callVerb({
    name: 'functions remove',
    endpoint: detachFunction,
    examples: [['msgctl agents functions remove Ada get_weather', 'the function stays']],
    arguments: [
      agentArgument,
      { param: 'functionId', name: 'function', summary: 'the id or the name of a function', lookup: functionLookup },
    ],
    shown: { columns: [] },
    done: (_answer, [agent, word]) => `The agent ${agent} no longer calls ${word}.`,
  }),
];
