import * as contract from '../../contract/areas/numbers/endpoints.ts';
import { numberLookup } from '../lookups/numbers.ts';
import { defaultAgentsField, withNamedFields } from '../lookups/named.ts';
import { callVerb } from '../verb/call-verb.ts';
import type { Noun } from '../verb/noun.ts';

const columns = [
  'number',
  'label',
  'channels.channel',
  'channels.status',
  'default_agents.agent_id',
  'messages_30d.sent',
  'messages_30d.received',
  'country',
  'channels.connected_at',
] as const;

const number = { param: 'number', summary: 'a number in international format, or its label', lookup: numberLookup } as const;

export const numbers: Noun = {
  name: 'numbers',
  verbs: [
    withNamedFields(
      callVerb({
        name: 'list',
        endpoint: contract.listNumbers,
        examples: [
          ['msgctl numbers list', 'every number, with who answers on it and its messages of 30 days'],
          ["msgctl numbers list --where 'channels.status=disconnected'", 'what nobody can write to'],
        ],
        shown: { columns },
      }),
      [defaultAgentsField],
    ),
    withNamedFields(
      callVerb({
        name: 'get',
        endpoint: contract.getNumber,
        examples: [
          ["msgctl numbers get '+1 415 555 0100'", 'show one number'],
          ["msgctl numbers get 'Front desk'", 'by its label'],
        ],
        arguments: [number],
        shown: { field: 'phone_number', columns },
      }),
      [defaultAgentsField],
    ),
    callVerb({
      name: 'label',
      endpoint: contract.updateNumber,
      examples: [
        ["msgctl numbers label +14155550100 'Front desk'", 'what people call the number'],
        ["msgctl numbers label +14155550100 ''", 'an empty label clears it'],
      ],
      arguments: [number, { field: 'label', resolve: (text: string | readonly string[]) => (text === '' ? null : text) }],
      shown: { field: 'phone_number', columns },
    }),
  ],
};
