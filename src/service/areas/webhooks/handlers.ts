import { eventNames } from '../../../contract/areas/webhooks/event-names.ts';
import { refusalOf } from '../../network/addresses.ts';
import { iso } from '../../clock/clock.ts';
import { type AreaHandlers, prepared, type Service } from '../../http/context.ts';
import { ApiError } from '../../errors.ts';
import { newSecret } from '../../identity/secrets.ts';
import {
  changeWebhook,
  deleteWebhook,
  insertWebhook,
  listWebhooks,
  newWebhookRecord,
  readHealth,
  reenable,
  requireWebhook,
  setSigningSecret,
  webhookRecord,
} from './records.ts';
import { sampleData } from './sample-data.ts';

/** @throws ApiError 400 when a receiver's address is one that the rules refuse */
async function checkUrl({ deliveries }: Service, url: string | undefined): Promise<void> {
  if (url === undefined) return;
  const refusal = await refusalOf(url, deliveries.allowPrivate, deliveries.resolve);
  if (refusal !== null) throw new ApiError(400, `url: ${refusal}`);
}

export const webhookHandlers: AreaHandlers<'webhooks'> = {
  'webhooks.list': async ({ db, account }) => ({ webhooks: (await listWebhooks(db, account.id)).reverse().map(webhookRecord) }),

  'webhooks.events': async () => ({ events: [...eventNames] }),

  'webhooks.create': prepared(
    ({ service, body }) => checkUrl(service, body.url),
    async ({ db, account, body, now }) => {
      const secret = body.generate_signing_secret ? newSecret('whsec_') : null;
      const webhook = await insertWebhook(db, account.id, body, secret, now);
      return {
        webhook_id: webhook.position,
        webhook: newWebhookRecord(webhook),
        ...(secret !== null && { signing_secret: secret }),
      };
    },
  ),

  'webhooks.update': prepared(
    ({ service, body }) => checkUrl(service, body.url),
    async ({ db, account, params, body, now }) => {
      if (Object.values(body).every((value) => value === undefined)) throw new ApiError(400, 'No fields to update');
      const webhook = await changeWebhook(db, await requireWebhook(db, account.id, params.webhookId), body, now);
      return { webhook_id: webhook.position, webhook: webhookRecord(webhook) };
    },
  ),

  'webhooks.delete': async ({ db, account, params }) => {
    await deleteWebhook(db, await requireWebhook(db, account.id, params.webhookId));
    return {};
  },

  // The network is not asked within a transaction; and there is nothing to change.
  'webhooks.test': prepared(
    async ({ service, account, params, body, now }) => {
      const { id, name, email } = account;
      const webhook = await service.store.read((db) => requireWebhook(db, id, params.webhookId));
      const event = body.event ?? 'Deliveries';
      const outcome = await service.deliveries.test(webhook, event, sampleData(event, now), { id, name, email }, now);
      const { delivered, failureType, statusCode, errorMessage } = outcome;
      if (failureType === null) return { webhook_id: webhook.position, delivered };
      return { webhook_id: webhook.position, delivered, failure_type: failureType, status_code: statusCode, error_message: errorMessage };
    },
    async (_context, answer) => answer,
  ),

  'webhooks.health': async ({ db, account, params }) => {
    const { position, url, receiver } = await requireWebhook(db, account.id, params.webhookId);
    return { webhook_id: position, url, health: await readHealth(db, account.id, receiver) };
  },

  'webhooks.reenable': async ({ db, account, params, now }) => {
    const webhook = await requireWebhook(db, account.id, params.webhookId);
    await reenable(db, webhook, now);
    return { webhook_id: webhook.position };
  },

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
