import { attachToolServers, detachToolServer, listAgentToolServers } from '../../../contract/areas/tool-servers/endpoints.ts';
import { callVerb } from '../../verb/call-verb.ts';
import type { Verb } from '../../verb/noun.ts';
import { agentArgument } from '../../lookups/agents.ts';
import { toolServerLookup } from '../../lookups/tool-servers.ts';

const shared = { arguments: [agentArgument] } as const;

/** The verbs of the tool servers that an agent can use. */
export const toolServerVerbs: readonly Verb[] = [
  callVerb({
    ...shared,
    name: 'tool-servers list',
    endpoint: listAgentToolServers,
    examples: [['msgctl agents tool-servers list Ada', 'the tool servers that an agent can use']],
    shown: { columns: ['id', 'name', 'status', 'url', 'enabled', 'tools.name'] },
  }),
  callVerb({
    name: 'tool-servers add',
    endpoint: attachToolServers,
    examples: [['msgctl agents tool-servers add Ada shop', 'let an agent call the tools of a server']],
    arguments: [
      agentArgument,
      {
        field: 'mcp_server_ids',
        name: 'server',
        summary: 'the ids or the names of tool servers',
        isRepeated: true,
        lookup: toolServerLookup,
      },
    ],
    shown: { columns: ['agent_id', 'mcp_server_ids'] },
  }),
  callVerb({
    name: 'tool-servers remove',
    endpoint: detachToolServer,
    examples: [['msgctl agents tool-servers remove Ada shop', 'the server stays']],
    arguments: [
      agentArgument,
      { param: 'serverId', name: 'server', summary: 'the id or the name of a tool server', lookup: toolServerLookup },
    ],
    shown: { columns: [] },
    done: (_answer, [agent, word]) => `The agent ${agent} no longer uses the tools of ${word}.`,
  }),
];
