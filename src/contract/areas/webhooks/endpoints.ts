import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { eventNames } from './event-names.ts';
import { id, instant, name, nextCursor, pageQuery, text, timestamp } from '../../fields.ts';
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

const missedEvents = () => ({
  missed: z.int().describe('how many events it missed since it was last disabled or switched off, and has not got since'),
  missed_since: timestamp().nullable().describe('when it was last disabled or switched off; null if it missed nothing'),
});

/** The health of a receiver, with the number of clients whose inherited deliveries are paused. */
const receiverHealth = () => z.object({ health: health().nullable(), paused_count: z.int(), ...missedEvents() });

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
        // Services that do not replay omit these.
        missed: missedEvents().missed.optional(),
        missed_since: missedEvents().missed_since.optional(),
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

/** How far a delivery is. */
export const deliveryStates = ['queued', 'delivered', 'failed', 'dropped'] as const;

const deliveryBasics = () =>
  z.object({
    id: z.string().describe('the value of X-Webhook-Delivery'),
    account_id: z.string().describe('the id of the account on which the event happened'),
    event: z.string(),
    event_id: z.string().describe('the id of the event'),
    occurred_at: timestamp().describe('when the event happened'),
    state: z.enum(deliveryStates).describe('how far the delivery is'),
  });

const finishedAttempt = () => ({
  at: timestamp(),
  status_code: z.int().nullable(),
  failure_type: z.enum(failureTypes).nullable().describe('the kind of failure; null when it was delivered'),
  duration_ms: z.number().describe('how long it took, in milliseconds'),
});

const deliveryAttempt = () => {
  const { at, ...answered } = finishedAttempt();
  const response = z.string().nullable().describe('the body of the answer, or its beginning; null without one');
  return z.object({ at, attempt: z.int(), ...answered, response_body: response });
};

const afterAttempts = () => ({
  next_attempt_at: timestamp().nullable(),
  last: z.object(finishedAttempt()).nullable().describe('the last attempt; null before the first one'),
});

const listedDelivery = () =>
  z.object({ ...deliveryBasics().shape, attempts: z.int().describe('how many attempts were made'), ...afterAttempts() });

const delivery = () =>
  z.object({
    ...deliveryBasics().shape,
    ...afterAttempts(),
    request_body: z.string().describe('the body that was sent; keys and secrets are masked'),
    attempts: z.array(deliveryAttempt()).describe('the last 100 attempts, oldest first'),
  });

export const listWebhookDeliveries = endpoint({
  ...shared,
  name: 'webhooks.deliveries.list',
  method: 'GET',
  path: '/webhooks/{webhookId}/deliveries',
  summary: 'List the deliveries to a webhook, newest first; tests are left out',
  query: () =>
    z.object({
      ...pageQuery(),
      state: z.enum(deliveryStates).optional().describe('only deliveries in this state'),
      event: eventName().optional().describe('only deliveries of this event'),
      from: instant().optional().describe('only events that happened at this time or later'),
      to: instant().optional().describe('only events that happened at this time or earlier; a date is the whole day'),
    }),
  rows: 'deliveries',
  responses: { 200: () => z.object({ deliveries: z.array(listedDelivery()).describe('the deliveries'), next_cursor: nextCursor() }) },
  errors: [404],
});

export const getWebhookDelivery = endpoint({
  ...shared,
  name: 'webhooks.deliveries.get',
  method: 'GET',
  path: '/webhooks/{webhookId}/deliveries/{deliveryId}',
  summary: 'Show a delivery with what was sent, and every answer',
  responses: { 200: () => z.object({ delivery: delivery().describe('the delivery') }) },
  errors: [404],
});

export const resendWebhookDelivery = endpoint({
  ...shared,
  name: 'webhooks.deliveries.resend',
  method: 'POST',
  path: '/webhooks/{webhookId}/deliveries/{deliveryId}/resend',
  permission: 'integrations.edit',
  summary: 'Attempt a delivery once more now, whether the webhook is on or off',
  responses: {
    200: () =>
      z.object({
        delivered: z.boolean().describe('whether the receiver accepted it'),
        failure_type: z.enum(failureTypes).optional(),
        status_code: z.int().nullable().optional(),
        error_message: z.string().optional(),
      }),
  },
  errors: [404, 409],
});

/** What a replay sends. */
export const replayedKinds = ['failed', 'missed', 'both'] as const;

export const startReplay = endpoint({
  ...shared,
  name: 'webhooks.replay',
  method: 'POST',
  path: '/webhooks/{webhookId}/replay',
  permission: 'integrations.edit',
  summary: 'Send again what failed, and what was missed while the webhook was off or disabled',
  body: () =>
    z.object({
      from: instant().describe('replay events that happened at this time or later, at most 31 days'),
      to: instant()
        .optional()
        .meta({ description: 'replay events that happened at this time or earlier; a date is the whole day', defaultText: 'now' }),
      which: z
        .enum(replayedKinds)
        .optional()
        .meta({ description: 'deliveries that failed, events that were missed, or both', defaultText: 'both' }),
      events: events().optional().meta({ description: 'only these events', defaultText: 'all' }),
      preview: z.boolean().optional().meta({ description: 'count what would be sent, and send nothing', defaultText: 'false' }),
    }),
  responses: {
    202: () =>
      z.object({
        replay_id: z.string().optional().describe('the id of the replay; absent in a preview'),
        queued: z.int().describe('how many deliveries it sends'),
      }),
  },
  alsoAnswers: { status: 200, when: ({ replay_id }) => replay_id === undefined },
  changesNothing: ({ preview }) => preview === true,
  errors: [404, 409],
});

/** How far a replay is. */
export const replayStatuses = ['queued', 'sending', 'completed'] as const;

export const getReplay = endpoint({
  ...shared,
  name: 'webhooks.replays.get',
  method: 'GET',
  path: '/webhooks/{webhookId}/replays/{replayId}',
  summary: 'Show how far a replay is',
  responses: {
    200: () =>
      z.object({
        replay: z
          .object({
            id: z.string(),
            status: z.enum(replayStatuses).describe('how far the replay is'),
            queued: z.int().describe('how many deliveries it sends'),
            delivered: z.int().describe('how many the receiver accepted'),
            failed: z.int().describe('how many failed for good or were dropped'),
            pending: z.int().describe('how many are not over'),
          })
          .describe('the replay'),
      }),
  },
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
  listWebhookDeliveries,
  getWebhookDelivery,
  resendWebhookDelivery,
  startReplay,
  getReplay,
] as const;
