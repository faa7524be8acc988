import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { eventNames } from './event-names.ts';
import { id, name, text, timestamp } from '../../fields.ts';
import { limits } from '../../limits.ts';
import { secret } from '../../secret.ts';

const shared = { section: 'Webhooks', access: 'account', feature: 'webhooks' } as const;

const eventName = () => z.enum(eventNames);
const events = () => z.array(eventName()).min(1, { error: 'must name at least one event' }).max(eventNames.length);
/** A webhook's name can be used in a path. `.` and `..` have another meaning there, and digits are an id. */
const webhookName = () =>
  name()
    .refine((value) => value !== '.' && value !== '..', { error: "must not be '.' or '..'" })
    .refine((value) => !/^\p{Nd}+$/u.test(value), { error: 'must not be only digits, because digits are the id of a webhook' });

const tagIds = () => z.array(id()).max(limits.webhookTags);

/** Why a delivery failed (rule webhooks.51). */
export const failureTypes = ['permanent', 'temporary', 'timeout', 'network', 'unknown'] as const;

export type FailureType = (typeof failureTypes)[number];

/** A subscription as the answer that creates it shows it (rule webhooks.3). */
const newWebhook = () =>
  z.object({
    id: z.string().describe('the position in the list of subscriptions'),
    name: z.string(),
    url: z.string(),
    subscribed_to: z.array(z.string()),
    subscribed_to_tags: z.array(z.string()),
    created_at: timestamp(),
  });

const webhook = () =>
  newWebhook().extend({
    signing_enabled: z.boolean(),
    signing_secret_created_at: timestamp().nullable(),
    retries_enabled: z.boolean(),
    enabled: z.boolean(),
    apply_to_sub_accounts: z.boolean(),
  });

const health = () =>
  z.object({
    consecutive_failures: z.int(),
    total_failures: z.int(),
    total_successes: z.int(),
    is_disabled: z.boolean(),
    disabled_at: timestamp().nullable(),
    disabled_reason: z.string().nullable(),
    last_failure: z
      .object({
        at: timestamp(),
        event: z.string(),
        failure_type: z.enum(failureTypes),
        status_code: z.int().nullable(),
        error_message: z.string(),
        // Services that do not report pending retries omit these fields.
        attempt: z.int().optional(),
        next_attempt_at: timestamp().nullable().optional(),
      })
      .nullable(),
    last_success_at: timestamp().nullable(),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const signingSecret = () =>
  z.object({
    webhook_id: z.string(),
    signing_enabled: z.boolean(),
    signing_secret: secret(z.string()).nullable(),
    signing_secret_created_at: timestamp().nullable(),
  });

/** The health of a receiver, with the number of clients whose inherited deliveries are paused. */
const receiverHealth = () => z.object({ health: health().nullable(), paused_count: z.int() });

/** A client whose inherited deliveries are paused. */
const pausedAccount = () =>
  z.object({
    account_id: z.string(),
    name: z.string(),
    disabled_at: timestamp().describe('when its deliveries were paused'),
    disabled_reason: z.string().nullable().describe('why its deliveries were paused'),
  });

export const listWebhooks = endpoint({
  ...shared,
  name: 'webhooks.list',
  hasLargeAnswer: true,
  method: 'GET',
  path: '/webhooks',
  summary: 'List the webhook subscriptions, newest first, including disabled ones',
  query: () => z.object({ include: z.literal('health').optional().describe('show the health of each receiver too') }),
  responses: { 200: () => z.object({ webhooks: z.array(z.object({ ...webhook().shape, ...receiverHealth().partial().shape })) }) },
});

export const listEventNames = endpoint({
  ...shared,
  name: 'webhooks.events',
  method: 'GET',
  path: '/webhooks/events',
  summary: 'List the events that a webhook can subscribe to',
  responses: { 200: () => z.object({ events: z.array(z.string()) }) },
});

export const createWebhook = endpoint({
  ...shared,
  name: 'webhooks.create',
  method: 'POST',
  path: '/webhooks',
  permission: 'integrations.edit',
  summary: 'Create a webhook subscription',
  body: () =>
    z.object({
      url: text().describe('the address of the receiver, https except in a sandbox'),
      subscribed_to: events().describe('events to subscribe to; the events endpoint lists their names'),
      name: webhookName()
        .optional()
        .meta({ description: 'a name that commands can use instead of the id', defaultText: 'the host of url' }),
      subscribed_to_tags: tagIds().optional().describe('deliver Chat Concluded only for contacts with one of these tags'),
      retries_enabled: z.boolean().optional().meta({ description: 'retry failed deliveries', defaultText: 'false' }),
      generate_signing_secret: z
        .boolean()
        .optional()
        .meta({ description: 'sign deliveries with a new secret, shown in the answer', defaultText: 'false' }),
      enabled: z.boolean().optional().meta({ description: 'deliver to this receiver', defaultText: 'true' }),
      apply_to_sub_accounts: z.boolean().optional().meta({ description: 'deliver events of every sub-account too', defaultText: 'false' }),
    }),
  responses: { 200: () => z.object({ webhook_id: z.string(), webhook: newWebhook(), signing_secret: secret(z.string()).optional() }) },
  errors: [409],
});

export const updateWebhook = endpoint({
  ...shared,
  name: 'webhooks.update',
  method: 'PUT',
  path: '/webhooks/{webhookId}',
  permission: 'integrations.edit',
  summary: 'Update a webhook subscription; lists are replaced as a whole',
  body: () =>
    z.object({
      url: text().optional().describe('the address of the receiver, https except in a sandbox'),
      subscribed_to: events().optional().describe('events to subscribe to; the events endpoint lists their names'),
      name: webhookName().optional().describe('a name that commands can use instead of the id'),
      subscribed_to_tags: tagIds().optional().describe('deliver Chat Concluded only for contacts with one of these tags'),
      retries_enabled: z.boolean().optional().meta({ description: 'retry failed deliveries', defaultText: 'false' }),
      enabled: z.boolean().optional().meta({ description: 'deliver to this receiver', defaultText: 'true' }),
      apply_to_sub_accounts: z.boolean().optional().meta({ description: 'deliver events of every sub-account too', defaultText: 'false' }),
    }),
  responses: { 200: () => z.object({ webhook_id: z.string(), webhook: webhook() }) },
  errors: [404, 409],
});

export const deleteWebhook = endpoint({
  ...shared,
  name: 'webhooks.delete',
  method: 'DELETE',
  path: '/webhooks/{webhookId}',
  permission: 'integrations.edit',
  summary: 'Delete a webhook subscription and the health record of its receiver',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const testWebhook = endpoint({
  ...shared,
  name: 'webhooks.test',
  method: 'POST',
  path: '/webhooks/{webhookId}/test',
  permission: 'integrations.edit',
  summary: 'Send a test delivery now',
  body: () => z.object({ event: eventName().optional().meta({ description: 'the event to send', defaultText: 'Deliveries' }) }),
  responses: {
    200: () =>
      z.object({
        webhook_id: z.string(),
        delivered: z.boolean().describe('whether the receiver accepted it'),
        failure_type: z.enum(failureTypes).optional(),
        status_code: z.int().nullable().optional(),
        error_message: z.string().optional(),
      }),
  },
  errors: [404],
});

export const getWebhookHealth = endpoint({
  ...shared,
  name: 'webhooks.health',
  method: 'GET',
  path: '/webhooks/{webhookId}/health',
  summary: 'Show the health of the receiver: failures, successes and whether it is disabled',
  responses: {
    200: () =>
      z.object({
        webhook_id: z.string(),
        url: z.string(),
        health: health().nullable(),
        // Services without these fields do not say which clients are paused.
        paused_count: z.int().optional(),
        paused_accounts: z.array(pausedAccount()).max(limits.pausedAccounts).optional(),
      }),
  },
  errors: [404],
});

export const reenableWebhook = endpoint({
  ...shared,
  name: 'webhooks.reenable',
  method: 'POST',
  path: '/webhooks/{webhookId}/reenable',
  permission: 'integrations.edit',
  summary: 'Enable deliveries to a receiver that was disabled after repeated failures',
  responses: { 200: () => z.object({ webhook_id: z.string() }) },
  errors: [404],
});

export const getSigningSecret = endpoint({
  ...shared,
  name: 'webhooks.getSigningSecret',
  showsSecret: true,
  method: 'GET',
  path: '/webhooks/{webhookId}/signing-secret',
  permission: 'integrations.edit',
  summary: 'Show the signing secret of a webhook',
  responses: { 200: signingSecret },
  errors: [404],
});

export const rotateSigningSecret = endpoint({
  ...shared,
  name: 'webhooks.rotateSigningSecret',
  method: 'POST',
  path: '/webhooks/{webhookId}/signing-secret',
  permission: 'integrations.edit',
  summary: 'Create a new signing secret and turn signing on',
  responses: { 200: signingSecret },
  errors: [404],
});

export const removeSigningSecret = endpoint({
  ...shared,
  name: 'webhooks.removeSigningSecret',
  method: 'DELETE',
  path: '/webhooks/{webhookId}/signing-secret',
  permission: 'integrations.edit',
  summary: 'Remove the signing secret and turn signing off',
  responses: { 200: () => z.object({ webhook_id: z.string(), signing_enabled: z.literal(false) }) },
  errors: [404],
});

export const webhookEndpoints = [
  listWebhooks,
  listEventNames,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  getWebhookHealth,
  reenableWebhook,
  getSigningSecret,
  rotateSigningSecret,
  removeSigningSecret,
] as const;
