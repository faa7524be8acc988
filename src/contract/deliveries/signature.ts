import { createHmac, timingSafeEqual } from 'node:crypto';

/** The maximum age of a delivery, in seconds (rule webhooks.78). */
export const freshnessWindow = 300;

/**
 * Signs a delivery: the value of `X-Webhook-Signature` (rule webhooks.77).
 * @param timestamp Unix seconds, as `X-Webhook-Timestamp` carries them
 * @param body the raw body
 */
export function signDelivery(secret: string, timestamp: number | string, body: string | Uint8Array): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
}

/** Whether a signature of a delivery matches a secret. Compares in constant time. */
export function isSigned(secret: string, timestamp: string, body: string | Uint8Array, signature: string): boolean {
  const expected = Buffer.from(signDelivery(secret, timestamp, body));
  const given = Buffer.from(signature.trim());
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** Whether a timestamp is within the freshness window. @param now epoch milliseconds */
export function isFresh(timestamp: string, now: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= freshnessWindow;
}
