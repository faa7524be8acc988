import { listWebhooks } from '../../contract/areas/webhooks/endpoints.ts';
import { addressOf } from '../receivers/health.ts';
import { lookup } from '../verb/lookup.ts';

/** Webhooks by name. */
export const webhookLookup = lookup(listWebhooks, 'webhooks', 'name', { addressed: addressOf });
