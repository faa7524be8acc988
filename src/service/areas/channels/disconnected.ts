import type { NewNotification } from '../notices/notify.ts';

/** What the account is told when a number is disconnected. @param reason without a full stop */
export function disconnected(number: string, reason: string): NewNotification {
  const text = `${reason}. Pair the number again to send and receive messages.`;
  return { kind: 'channel_disconnected', title: 'A channel was disconnected', text, entity: { type: 'phone_number', id: number } };
}
