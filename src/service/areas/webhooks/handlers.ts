import { eventNames } from '../../../contract/areas/webhooks/event-names.ts';
import { iso } from '../../../contract/time/instants.ts';
import { checkNotEmpty } from '../../errors.ts';
import { type AreaHandlers, ownTransactionsHandler, preparedHandler, spanningHandler } from '../../http/handler.ts';
import type { Account } from '../../identity/accounts.ts';
import { newSecret } from '../../identity/secrets.ts';
import { checkAddress } from '../../network/address-rules.ts';
import { clearDisabled, healthOfOne, healthRecords, pausedAccounts } from './health.ts';
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
    return { webhooks: all.map((webhook, index) => ({ ...webhookRecord(webhook), ...healths[index] })) };
  },

  'webhooks.events': async () => ({ events: [...eventNames] }),

  'webhooks.create': preparedHandler(
    ({ body, service }) => checkAddress(body.url, 'url', service.deliveries),
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
      ({ body, service }) => checkAddress(body.url, 'url', service.deliveries),
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
    const { delivered, failureType, statusCode, errorMessage } = outcome;
    if (failureType === null) return { webhook_id: webhook.position, delivered };
    return { webhook_id: webhook.position, delivered, failure_type: failureType, status_code: statusCode, error_message: errorMessage };
  }),

  'webhooks.health': async ({ db, account, params }) => {
    const webhook = await requireWebhook(db, account.id, params.webhookId);
    const health = await healthOfOne(db, account.id, webhook);
    const paused = health.paused_count > 0 ? await pausedAccounts(db, account.id, webhook.receiver) : [];
    return { webhook_id: webhook.position, url: webhook.url, ...health, paused_accounts: paused };
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
};

function signingRecord(webhookId: string, secret: string | null, createdAt: number | null) {
  return {
    webhook_id: webhookId,
    signing_enabled: secret !== null,
    signing_secret: secret,
    signing_secret_created_at: iso(createdAt),
  };
}
