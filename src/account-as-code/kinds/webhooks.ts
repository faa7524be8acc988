import * as z from 'zod';
import {
  createWebhook,
  deleteWebhook,
  getSigningSecret,
  listWebhooks,
  removeSigningSecret,
  rotateSigningSecret,
  updateWebhook,
} from '../../contract/areas/webhooks/endpoints.ts';
import { eventNames, findEventName } from '../../contract/areas/webhooks/event-names.ts';
import { fieldsOfRow, sorted } from './rows.ts';
import type { IdOf, Kind } from '../kind.ts';
import { once, receiverUrl, reference, requestFields } from './schema.ts';
import type { Fields } from '../values.ts';

const requested = once(() => requestFields(updateWebhook, ['subscribed_to_tags']));

/** Names of events in any case. They are read as the names that the service knows. */
const eventWords = () =>
  z
    .array(
      z
        .string()
        .meta({ examples: [...eventNames] })
        .transform((name) => findEventName(name) ?? name)
        .pipe(z.enum(eventNames)),
    )
    .min(1, { error: 'must name at least one event' })
    .max(eventNames.length);

const what = (name: unknown) => `the signing secret of the webhook '${String(name)}'`;

/** Webhook subscriptions. Their ids are positions, which shift on deletions, so they are addressed by name. */
export const webhooks: Kind = {
  name: 'webhooks',
  noun: 'webhook',
  file: 'webhooks.yaml',
  schema: () => {
    const { name, ...fields } = requested();
    return z.strictObject({
      name: (name as z.ZodType<unknown>).refine((value) => !/^\d+$/.test(String(value)), {
        error: 'must not be only digits, because digits are the id of a webhook',
      }),
      ...fields,
      subscribed_to: eventWords().optional().describe('events to subscribe to, in upper or lower case'),
      url: receiverUrl().optional().describe('the address of the receiver; must be https except in a sandbox'),
      subscribed_to_tags: z
        .array(reference('a tag'))
        .optional()
        .describe('deliver Chat Concluded only for contacts with one of these tags'),
      signing: z.boolean().optional().describe('whether deliveries are signed'),
    });
  },
  normalise: (fields) => ({
    ...fields,
    ...('subscribed_to' in fields && { subscribed_to: sorted(fields.subscribed_to) }),
    ...('subscribed_to_tags' in fields && { subscribed_to_tags: sorted(fields.subscribed_to_tags) }),
  }),
  endpoints: [listWebhooks, createWebhook, updateWebhook, deleteWebhook, getSigningSecret, rotateSigningSecret, removeSigningSecret],
  identity: {
    key: ['name'],
    idField: 'name',
  },
  references: {
    fields: { subscribed_to_tags: 'tags' },
    openLists: ['subscribed_to_tags'],
  },
  reading: {
    list: async (client) => (await client.call(listWebhooks, {})).webhooks,
    leavesOut: ({ name }) =>
      /^\d+$/.test(name as string)
        ? {
            note: `the webhook '${String(name)}' is skipped: rename it, because digits are the id of a webhook`,
          }
        : undefined,
    fields: (row, nameOf) => [
      {
        ...fieldsOfRow(row, Object.keys(requested())),
        subscribed_to_tags: (row.subscribed_to_tags as string[]).map((id) => nameOf('tags', id)),
        signing: row.signing_enabled,
      },
    ],
    addresses: ['url'],
  },
  writing: {
    step: 4,
    required: () => ['url', 'subscribed_to'],
    create: async ({ client, fields: { signing, ...fields }, idOf }) => {
      const body = { ...bodyOf(fields, idOf), ...(signing === true && { generate_signing_secret: true }) };
      const { webhook, signing_secret: value } = await client.call(createWebhook, { body });
      return { id: webhook.name, secret: value === undefined ? undefined : { what: what(webhook.name), value } };
    },
    update: async ({ client, fields: { signing, ...fields }, idOf, live: { id } }) => {
      const body = bodyOf(fields, idOf);
      if (Object.keys(body).length > 0) await client.call(updateWebhook, { params: { webhookId: id }, body });
      const name = typeof fields.name === 'string' ? fields.name : id;
      if (signing === false) await client.call(removeSigningSecret, { params: { webhookId: name } });
      if (signing !== true) return undefined;
      const { signing_secret: value } = await client.call(rotateSigningSecret, { params: { webhookId: name } });
      return value === null ? undefined : { what: what(name), value };
    },
    remove: async ({ client, live: { id } }) => {
      await client.call(deleteWebhook, { params: { webhookId: id } });
    },
  },
  loss: {
    ofDeletion: ({ fields }) => (fields.signing === true ? 'its signing secret cannot be restored' : undefined),
    undo: ({ action, after, live }) =>
      action === 'delete' || (live?.fields.signing === true && after.signing === false) ? 'partial' : undefined,
    notRestored: (action) =>
      action === 'delete'
        ? 'Signing secrets and the health of receivers cannot be restored: a webhook that signed its deliveries gets a new secret.'
        : undefined,
    secret: {
      isMade: (_, after) => after.signing === true,
      read: async (client, { id }) => {
        const { signing_secret: value } = await client.call(getSigningSecret, { params: { webhookId: id } });
        return value === null ? undefined : { what: what(id), value };
      },
    },
  },
};

function bodyOf({ subscribed_to_tags: tags, ...fields }: Fields, idOf: IdOf): Fields {
  return { ...fields, ...(Array.isArray(tags) && { subscribed_to_tags: tags.map((name) => idOf('tags', name as string)) }) };
}
