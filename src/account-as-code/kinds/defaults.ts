import * as z from 'zod';
import { todaysForm } from '../../contract/areas/contacts/number-forms.ts';
import { isInternational, withoutSeparators } from '../../contract/areas/contacts/phone-text.ts';
import { listDefaults, setDefault, updateRule } from '../../contract/areas/routing/endpoints.ts';
import { schemaOf } from '../../contract/endpoint.ts';
import type { IdOf, Kind } from '../kind.ts';
import { reference } from './schema.ts';
import { type Fields, isFields } from '../values.ts';

/** The agent that answers new contacts on a channel or on one of its numbers. Retired defaults are history and left out. */
export const defaults: Kind = {
  name: 'defaults',
  noun: 'channel default',
  file: 'routing.yaml',
  schema: () => {
    const { channel, phone_number: number } = schemaOf(setDefault.body).shape as { channel: z.ZodType; phone_number: z.ZodType };
    return z.strictObject({
      channel,
      number: number
        .refine((text) => isInternational(withHyphens(text as string)), {
          error: 'must be a phone number in international format, such as +14155550100',
        })
        .optional()
        .describe('only for contacts who write to this number of yours'),
      agent: reference('the agent that answers; null for nobody').nullable().optional(),
    });
  },
  normalise: (fields) =>
    typeof fields.number === 'string' ? { ...fields, number: todaysForm(withoutSeparators(withHyphens(fields.number))) } : fields,
  endpoints: [listDefaults, setDefault, updateRule],
  identity: {
    key: ['channel', 'number'],
    // A default without a number is for all numbers.
    optionalKey: ['number'],
    hasFixedName: true,
    // Setting a default retires the previous one.
    hasNewId: true,
  },
  references: { fields: { agent: 'agents' } },
  reading: {
    list: async (client) => (await client.call(listDefaults, {})).entry_points,
    leavesOut: ({ enabled }) => (enabled === false ? {} : undefined),
    fields: ({ channels, agent_id: agent, match_config: config }, nameOf) => {
      const [number] = isFields(config) && Array.isArray(config.phone_numbers) ? (config.phone_numbers as string[]) : [];
      return [
        {
          channel: (channels as string[])[0],
          ...(number !== undefined && { number }),
          agent: agent === '' ? null : nameOf('agents', agent as string),
        },
      ];
    },
  },
  writing: {
    step: 5,
    required: () => ['agent'],
    nulls: ['agent'],
    create: async ({ client, fields, idOf }) => ({ id: (await client.call(setDefault, { body: bodyOf(fields, idOf) })).entry_point_id }),
    update: async ({ client, fields, idOf, live }) => {
      await client.call(setDefault, { body: bodyOf({ ...live.fields, ...fields }, idOf) });
      return undefined;
    },
    // Clearing the default of a channel would also clear the defaults of its numbers.
    remove: async ({ client, live: { id } }) => {
      await client.call(updateRule, { params: { entryPointId: id }, body: { enabled: false } });
    },
  },
};

/** A phone number with hyphens instead of the dashes that word processors insert. */
function withHyphens(number: string): string {
  return number.replace(/\p{Pd}/gu, '-');
}

function bodyOf({ channel, number, agent }: Fields, idOf: IdOf) {
  return {
    channel: channel as 'chatapp',
    agent_id: typeof agent === 'string' ? idOf('agents', agent) : '',
    ...(typeof number === 'string' && { phone_number: number }),
  };
}
