import * as z from 'zod';
import { createWidget, deleteWidget, getWidget, listWidgets, updateWidget, widgetKinds } from '../../contract/areas/widgets/endpoints.ts';
import { fold } from '../../contract/text/fold.ts';
import type { IdOf, Kind } from '../kind.ts';
import type { Fields } from '../values.ts';
import { fieldsOfRow, sorted } from './rows.ts';
import { once, reference, requestFields } from './schema.ts';

const requested = once(() => requestFields(updateWidget, ['agent_id']));

/** Widgets for websites. Their addresses, clicks and visitors are data. */
export const widgets: Kind = {
  name: 'widgets',
  noun: 'widget',
  file: 'widgets.yaml',
  schema: () =>
    z.strictObject({
      ...requested(),
      kind: z.enum(widgetKinds).optional().describe('a chat on the page (the default), or a button that opens the chat app; it stays'),
      agent: reference('the agent that answers; null when routing decides').nullable().optional(),
    }),
  normalise: (fields) => ({
    ...fields,
    ...('allowed_origins' in fields && { allowed_origins: sorted(fields.allowed_origins) }),
  }),
  endpoints: [listWidgets, createWidget, getWidget, updateWidget, deleteWidget],
  identity: { key: ['name'], fold },
  references: { fields: { agent: 'agents' } },
  reading: {
    list: (client) => client.all(listWidgets, {}),
    get: async (client, id) => (await client.call(getWidget, { params: { id } })).widget,
    isServedBySomeOnly: true,
    fields: (row, nameOf) => [
      {
        ...fieldsOfRow(row, [...Object.keys(requested()), 'kind']),
        daily_ai_replies: row.daily_ai_replies,
        agent: typeof row.agent_id === 'string' ? nameOf('agents', row.agent_id) : null,
      },
    ],
  },
  writing: {
    step: 5,
    nulls: ['agent', 'daily_ai_replies'],
    create: async ({ client, fields, idOf }) => ({
      id: (await client.call(createWidget, { body: bodyOf(fields, idOf) })).widget.id,
    }),
    update: async ({ client, fields, idOf, live: { id } }) => {
      await client.call(updateWidget, { params: { id }, body: bodyOf(fields, idOf) });
      return undefined;
    },
    remove: async ({ client, live: { id } }) => {
      await client.call(deleteWidget, { params: { id } });
    },
    refuses: ({ kind = 'chat' }, live) =>
      live && kind !== live.fields.kind ? 'a widget keeps its kind: give the new one another name' : undefined,
  },
};

function bodyOf({ agent, ...fields }: Fields, idOf: IdOf): Fields {
  return { ...fields, ...(agent !== undefined && { agent_id: agent === null ? null : idOf('agents', agent as string) }) };
}
