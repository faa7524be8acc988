import * as contract from '../../contract/areas/tool-servers/endpoints.ts';
import { exitCodes } from '../errors.ts';
import { toolServerLookup } from '../lookups/tool-servers.ts';
import { changedHeaderOption, changedHeaders, headerOption, newHeaders } from '../tools/headers.ts';
import { lintingInput } from '../tools/lint-input.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import type { Noun } from '../verb/noun.ts';

const columns = ['id', 'name', 'status', 'url', 'enabled', 'tools.name', 'error.text', 'refreshed_at'] as const;

const allColumns = [...columns, 'allowed_tools', 'headers', 'created_at', 'updated_at'] as const;

const serverArgument = {
  param: 'id',
  name: 'server',
  summary: 'the id or the name of a tool server',
  lookup: toolServerLookup,
} as const;

const fields = ['allowed_tools', { field: 'enabled', negative: 'keep agents from calling its tools' }] as const;

export const toolServers: Noun = {
  name: 'tool-servers',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listToolServers,
      examples: [['msgctl tool-servers list', 'every server, with its tools']],
      shown: { columns },
    }),
    callVerb({
      name: 'get',
      endpoint: contract.getToolServer,
      examples: [['msgctl tool-servers get shop -o yaml', 'its tools with their arguments']],
      arguments: [serverArgument],
      shown: { field: 'mcp_server', columns: allColumns },
    }),
    lintingInput(
      callVerb({
        name: 'create',
        endpoint: contract.createToolServer,
        examples: [
          ['msgctl tool-servers create shop https://shop.example/mcp', 'then read its tools with `refresh`'],
          ["msgctl tool-servers create shop https://shop.example/mcp --header 'Authorization=@token.txt'", 'with a token from a file'],
        ],
        arguments: [{ field: 'name' }, { field: 'url' }],
        fields,
        options: [headerOption],
        body: async (given, { session, options }) => ({ ...given, headers: await newHeaders(session, options) }),
        shown: { field: 'mcp_server', columns: allColumns },
        done: (_answer, [name = '']) => `Its tools are not known yet: \`msgctl tool-servers refresh ${name}\` reads them.`,
      }),
    ),
    lintingInput(
      callVerb({
        name: 'update',
        endpoint: contract.updateToolServer,
        summary: 'Update a tool server',
        examples: [
          ['msgctl tool-servers update shop --allowed-tools find_order,track_order', 'agents may call only these'],
          ['msgctl tool-servers update shop --header Authorization=env:SHOP_TOKEN', 'a new value for one header; the others stay'],
        ],
        arguments: [serverArgument],
        fields: ['name', 'url', ...fields],
        options: [changedHeaderOption],
        body: async (given, { session, options, values: [word = ''] }) => {
          const held = async () => (await session.names.record(toolServerLookup, word)).headers;
          return { ...given, headers: await changedHeaders(session, options, held) };
        },
        shown: { field: 'mcp_server', columns: allColumns },
      }),
    ),
    deleteVerb({
      lookup: toolServerLookup,
      endpoint: contract.deleteToolServer,
      examples: [['msgctl tool-servers delete shop', 'asks for confirmation; agents lose its tools']],
      consequence: ({ url }) => ` (${url as string}), and take its tools away from the agents that call them`,
      severalConsequence: () => ', and take their tools away from the agents that call them',
    }),
    callVerb({
      name: 'refresh',
      endpoint: contract.refreshToolServer,
      examples: [['msgctl tool-servers refresh shop', 'exits 1 if the server cannot be read; the tools known before stay']],
      arguments: [serverArgument],
      shown: { field: 'mcp_server', columns },
      exitCode: ({ mcp_server: { status } }) => (status === 'failed' ? exitCodes.failed : exitCodes.done),
    }),
    {
      name: 'test',
      summary: 'Call a tool of a tool server, and show what was answered',
      examples: [
        [
          'msgctl tool-servers test shop find_order number=1042',
          'arguments are checked before anything is sent; exits 1 if the call fails',
        ],
      ],
      arguments: [
        { name: 'server', summary: 'the id or the name of a tool server', lookup: toolServerLookup },
        { name: 'tool', summary: 'the name of the tool', fills: ['tool'] },
        { name: 'argument', summary: 'arguments as KEY=VALUE', isOptional: true, isRepeated: true, fills: ['arguments'] },
      ],
      fields: ['arguments'],
      endpoint: contract.testTool,
      shown: { columns: ['ok', 'duration_ms', 'result', 'error', 'sent'] },
      run: async (session, values, options) => await (await import('./tool-servers/test.ts')).testTool(session, values, options),
    },
  ],
};
