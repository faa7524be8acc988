import * as contract from '../../contract/areas/functions/endpoints.ts';
import { functionLookup } from '../lookups/functions.ts';
import { changedHeaderOption, changedHeaders, headerOption, newHeaders } from '../tools/headers.ts';
import { lintingInput } from '../tools/lint-input.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import type { Noun, Session } from '../verb/noun.ts';

const columns = ['id', 'name', 'method', 'url', 'enabled', 'signing_enabled', 'description'] as const;

const allColumns = [...columns, 'parameters', 'headers', 'timeout_seconds', 'created_at', 'updated_at'] as const;

const idArgument = { param: 'id', name: 'function', summary: 'the id or the name of a function', lookup: functionLookup } as const;

const fields = [
  'description',
  'parameters',
  'method',
  'timeout_seconds',
  { field: 'enabled', negative: 'keep agents from calling it' },
] as const;

/** A function for a prompt; on several accounts, as it was typed. */
async function titleOf(word: string, session: Session | null): Promise<string> {
  return session ? (await session.names.record(functionLookup, word)).name : word;
}

export const functions: Noun = {
  name: 'functions',
  groups: { secret: 'Manage the secret that signs calls' },
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listFunctions,
      examples: [['msgctl functions list', 'what agents can call']],
      shown: { columns },
    }),
    callVerb({
      name: 'get',
      endpoint: contract.getFunction,
      examples: [['msgctl functions get get_weather -o yaml', 'everything about a function']],
      arguments: [idArgument],
      shown: { field: 'custom_function', columns: allColumns },
    }),
    lintingInput(
      callVerb({
        name: 'create',
        endpoint: contract.createFunction,
        examples: [
          ['msgctl functions create --input function.yaml', 'checks the file first, and names the line of each problem'],
          [
            "msgctl functions create opening_hours https://shop.example/hours --description 'When the shop is open'",
            'a function without arguments',
          ],
          [
            "msgctl functions create get_stock https://shop.example/stock --header 'Authorization=@token.txt' --input stock.yaml",
            'with a secret header, which is read from a file',
          ],
        ],
        arguments: [{ field: 'name' }, { field: 'url' }],
        fields,
        options: [headerOption],
        body: async (given, { session, options }) => ({ ...given, headers: await newHeaders(session, options) }),
        shown: { field: 'custom_function', columns: allColumns },
      }),
    ),
    lintingInput(
      callVerb({
        name: 'update',
        endpoint: contract.updateFunction,
        summary: 'Update a custom function',
        examples: [
          ["msgctl functions update get_weather --description 'The weather of today'", 'fields you omit keep their value'],
          ['msgctl functions update get_weather --header Authorization=env:WEATHER_TOKEN', 'a new value for one header; the others stay'],
        ],
        arguments: [idArgument],
        fields: ['name', 'url', ...fields],
        options: [changedHeaderOption],
        body: async (given, { session, options, values: [word = ''] }) => {
          const held = async () => (await session.names.record(functionLookup, word)).headers;
          return { ...given, headers: await changedHeaders(session, options, held) };
        },
        shown: { field: 'custom_function', columns: allColumns },
      }),
    ),
    deleteVerb({
      lookup: functionLookup,
      endpoint: contract.deleteFunction,
      examples: [['msgctl functions delete get_weather', 'asks for confirmation; agents lose it']],
      consequence: ({ url }) => ` (${url as string}), and take it away from the agents that call it`,
      severalConsequence: () => ', and take them away from the agents that call them',
    }),
    {
      name: 'test',
      summary: 'Call a function, and show what was sent and what was answered',
      examples: [
        ['msgctl functions test get_weather city=Berlin days=3', 'arguments are checked before anything is sent'],
        [`msgctl functions test get_weather --arguments '{"city":"Berlin"}'`, 'arguments as JSON; exits 1 if the call fails'],
      ],
      arguments: [
        { name: 'function', summary: 'the id or the name of a function', lookup: functionLookup },
        { name: 'argument', summary: 'arguments as KEY=VALUE', isOptional: true, isRepeated: true, fills: ['arguments'] },
      ],
      fields: ['arguments'],
      endpoint: contract.testFunction,
      shown: { columns: ['ok', 'status_code', 'duration_ms', 'result', 'error', 'signed', 'sent'] },
      run: async (session, values, options) => await (await import('./functions/test.ts')).testFunction(session, values, options),
    },
    callVerb({
      name: 'secret rotate',
      endpoint: contract.rotateFunctionSecret,
      examples: [['msgctl functions secret rotate get_weather', 'asks for confirmation; the old secret stops signing']],
      arguments: [idArgument],
      confirm: async ({ session, values: [word = ''] }) =>
        `Create a new signing secret for the function ${await titleOf(word, session)}? An old secret stops working at once`,
      shown: { columns: ['signing_secret'] },
    }),
    callVerb({
      name: 'secret remove',
      endpoint: contract.removeFunctionSecret,
      examples: [['msgctl functions secret remove get_weather', 'asks for confirmation; calls are no longer signed']],
      arguments: [idArgument],
      confirm: async ({ session, values: [word = ''] }) => `Disable signing for the function ${await titleOf(word, session)}?`,
      shown: { columns: [] },
      done: (_answer, [word]) => `Calls of the function ${word} are no longer signed.`,
    }),
  ],
};
