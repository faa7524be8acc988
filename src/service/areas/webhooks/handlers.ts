import { eventNames } from '../../../contract/areas/webhooks/event-names.ts';
import { iso } from '../../../contract/time/instants.ts';
import type { startReplay as startReplayEndpoint } from '../../../contract/areas/webhooks/endpoints.ts';
import type { Body } from '../../../contract/endpoint.ts';
import { limits } from '../../../contract/limits.ts';
import { dayLength } from '../../../contract/time/days.ts';
import { ApiError, checkNotEmpty, invalidField } from '../../errors.ts';
import { type AreaHandlers, ownTransactionsHandler, preparedHandler, searchHandler, spanningHandler } from '../../http/handler.ts';
import { readPeriod } from '../../http/period.ts';
import type { Account } from '../../identity/accounts.ts';
import { newSecret } from '../../identity/secrets.ts';
import { checkAddress } from '../../network/address-rules.ts';
import type { Db } from '../../store/database.ts';
import { clearDisabled, healthOfOne, healthRecords, pausedAccounts } from './health.ts';
import { missedRecord } from './interruptions.ts';
import { deliveryOfWebhook, listedRecords, listOfWebhook } from './listed-deliveries.ts';
import type { DeliveryOutcome } from './outcome.ts';
import { checkNoReplay, countSelected, replayRecord, type Selection, startReplay } from './replays.ts';
import { sampleData } from './sample-data.ts';
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  listWebhooks,
  newWebhookRecord,
  requireWebhook,
  setSigningSecret,
  webhookRecord,
} from './subscriptions.ts';

/**
 * The subscriptions of an agency, and the health of their receivers, also apply to the accounts that it manages, so those are
 * locked too.
 */
const withManaged = ({ account }: { account: Account }) => ({ accounts: [account.id], withManaged: true });

/** The handlers of the area. */
export const webhookHandlers: AreaHandlers<'webhooks'> = {
  'webhooks.list': async ({ db, account, query }) => {
    const all = (await listWebhooks(db, account.id)).reverse();
    if (query.include === undefined) return { webhooks: all.map(webhookRecord) };
    const healths = await healthRecords(db, account.id, all);
    const missed = await Promise.all(all.map((webhook) => missedRecord(db, webhook)));
    return { webhooks: all.map((webhook, index) => ({ ...webhookRecord(webhook), ...healths[index], ...missed[index] })) };
  },

  'webhooks.events': async () => ({ events: [...eventNames] }),

  'webhooks.create': preparedHandler(
    ({ body, service }) => checkAddress(body.url, 'url', service.outbound),
    async ({ db, account, body, now }) => {
      const secret = body.generate_signing_secret ? newSecret('whsec_') : null;
      const webhook = await createSubscription(db, account.id, body, secret, now);
      return {
        webhook_id: webhook.position,
        webhook: newWebhookRecord(webhook),
        ...(secret !== null && { signing_secret: secret }),
      };
    },
  ),

  'webhooks.update': spanningHandler(
    withManaged,
    preparedHandler(
      ({ body, service }) => checkAddress(body.url, 'url', service.outbound),
      async ({ db, account, params, body, now }) => {
        checkNotEmpty(body);
        const webhook = await changeSubscription(db, await requireWebhook(db, account.id, params.webhookId), body, now);
        return { webhook_id: webhook.position, webhook: webhookRecord(webhook) };
      },
    ),
  ),

  'webhooks.delete': spanningHandler(withManaged, async ({ db, account, params, now }) => {
    await deleteSubscription(db, await requireWebhook(db, account.id, params.webhookId), now);
    return {};
  }),

  // A transaction must not wait for the network.
  'webhooks.test': ownTransactionsHandler(async ({ service, account, params, body, now }) => {
    const { id, name, email } = account;
    const webhook = await service.store.read((db) => requireWebhook(db, id, params.webhookId));
    const event = body.event ?? 'Deliveries';
    const outcome = await service.deliveries.test(webhook, event, sampleData(event, now), { id, name, email }, now);
    return { webhook_id: webhook.position, ...outcomeRecord(outcome) };
  }),

  'webhooks.health': async ({ db, account, params }) => {
    const webhook = await requireWebhook(db, account.id, params.webhookId);
    const health = await healthOfOne(db, account.id, webhook);
    const paused = health.paused_count > 0 ? await pausedAccounts(db, account.id, webhook.receiver) : [];
    const missed = await missedRecord(db, webhook);
    return { webhook_id: webhook.position, url: webhook.url, ...health, paused_accounts: paused, ...missed };
  },

  'webhooks.reenable': spanningHandler(withManaged, async ({ db, account, params, now }) => {
    const { position, receiver } = await requireWebhook(db, account.id, params.webhookId);
    // Failures are reset, successes are kept (rule webhooks.73).
    await clearDisabled(db, account.id, receiver, now, { consecutive_failures: 0, total_failures: 0 });
    return { webhook_id: position };
  }),

  'webhooks.getSigningSecret': async ({ db, account, params }) => {
    const webhook = await requireWebhook(db, account.id, params.webhookId);
    return signingRecord(webhook.position, webhook.signing_secret, webhook.signing_secret_created_at);
  },

  'webhooks.rotateSigningSecret': async ({ db, account, params, now }) => {
    const webhook = await requireWebhook(db, account.id, params.webhookId);
    const secret = newSecret('whsec_');
    await setSigningSecret(db, webhook, secret, now);
    return signingRecord(webhook.position, secret, now);
  },

  'webhooks.removeSigningSecret': async ({ db, account, params, now }) => {
    const webhook = await requireWebhook(db, account.id, params.webhookId);
    await setSigningSecret(db, webhook, null, now);
    return { webhook_id: webhook.position, signing_enabled: false };
  },

  'webhooks.deliveries.list': searchHandler(
    async ({ service, account, params, query, page }) => {
      const filters = { state: query.state, event: query.event, ...readPeriod(query) };
      const { id } = await service.store.read((db) => requireWebhook(db, account.id, params.webhookId));
      return await page((before, limit) => listOfWebhook(service, id, filters, before, limit));
    },
    async ({ service }, { rows, next_cursor }) =>
      await service.store.read(async (db) => ({ deliveries: await listedRecords(db, rows), next_cursor })),
  ),

  'webhooks.deliveries.get': async ({ db, account, params }) => {
    const { id } = await requireWebhook(db, account.id, params.webhookId);
    return { delivery: await deliveryOfWebhook(db, id, params.deliveryId) };
  },

  // A transaction must not wait for the network.
  'webhooks.deliveries.resend': ownTransactionsHandler(async ({ service, account, params, keep }) => {
    const { id } = await service.store.read((db) => requireWebhook(db, account.id, params.webhookId));
    const onRecorded = (db: Db, outcome: DeliveryOutcome) => keep(db, outcomeRecord(outcome));
    return outcomeRecord(await service.deliveries.resendOf(id, params.deliveryId, onRecorded));
  }),

  'webhooks.replay': spanningHandler(
    ({ account, body }) => (body.preview ? { accounts: [account.id] } : withManaged({ account })),
    preparedHandler(
      async ({ body, now }) => selectionOf(body, now),
      async ({ db, account, params, body, now }, selection) => {
        const webhook = await requireWebhook(db, account.id, params.webhookId);
        if (body.preview) return { queued: await countSelected(db, webhook.id, selection) };
        const health = await healthOfOne(db, account.id, webhook);
        if (!webhook.enabled) throw new ApiError(409, 'The webhook is off: enable it before a replay');
        if (health.health?.is_disabled)
          throw new ApiError(409, 'The webhook is disabled because too many deliveries failed: reenable it before a replay');
        await checkNoReplay(db, webhook.id);
        return await startReplay(db, webhook, selection, now);
      },
    ),
  ),

  'webhooks.replays.get': async ({ db, account, params }) => {
    const { id } = await requireWebhook(db, account.id, params.webhookId);
    return { replay: await replayRecord(db, id, params.replayId) };
  },
};

/** The result of an attempt, as answers show it. */
function outcomeRecord({ delivered, failureType, statusCode, errorMessage }: DeliveryOutcome) {
  if (failureType === null) return { delivered };
  return { delivered, failure_type: failureType, status_code: statusCode, error_message: errorMessage };
}

/** What a request to replay selects. @throws ApiError 400 when the time is not in order, or too long */
function selectionOf({ from, to, which = 'both', events }: Body<typeof startReplayEndpoint>, now: number): Selection {
  const { first = 0, last = now } = readPeriod({ from, to });
  if (first > last) throw invalidField('from', 'must not be in the future');
  if (last - first > limits.replayedDays * dayLength) throw invalidField('from', `must be at most ${limits.replayedDays} days before to`);
  return { first, last, which, events };
}

function signingRecord(webhookId: string, secret: string | null, createdAt: number | null) {
  return {
    webhook_id: webhookId,
    signing_enabled: secret !== null,
    signing_secret: secret,
    signing_secret_created_at: iso(createdAt),
  };
}
