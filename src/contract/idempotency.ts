/** The header with which a POST can be repeated without a second effect. A service that honours it repeats it in every answer. */
export const idempotencyHeader = 'idempotency-key';

/** The header that an answer has when it is that of an earlier request with the same key. */
export const replayedHeader = 'idempotency-replayed';

/** Whether a text can be an idempotency key: 1 to 255 characters of ASCII that can be seen. */
export function isIdempotencyKey(text: string): boolean {
  return /^[!-~]{1,255}$/.test(text);
}
