import { signDelivery } from './signature.ts';

/** The headers of an attempt, without its signature (rules webhooks.37, webhooks.40). @param attempt its number, from 1 */
export function deliveryHeaders(id: string, attempt: number, event: string) {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Messaging-Webhooks/1.0',
    'X-Webhook-Delivery': id,
    'X-Webhook-Attempt': String(attempt),
    'X-Webhook-Event': event,
  };
}

/**
 * The headers of a signature (rule webhooks.77).
 * @param secret null for deliveries that are not signed
 * @param now when it is signed, in epoch milliseconds
 * @param body the raw body
 */
export function signatureHeaders(secret: string | null, now: number, body: string): Readonly<Record<string, string>> {
  if (secret === null) return {};
  const timestamp = Math.floor(now / 1_000);
  return { 'X-Webhook-Timestamp': String(timestamp), 'X-Webhook-Signature': signDelivery(secret, timestamp, body) };
}
