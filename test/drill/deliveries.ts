import type { Receiver } from '../support/receiver.ts';
import { isSignedWith } from '../support/receiver.ts';
import type { Account } from './accounts.ts';

/** What a webhook receiver got. */
export class Deliveries {
  /** The contacts whose creation was delivered, as `account contact`. */
  readonly contacts = new Set<string>();
  /** The ids of the `Credits Spent` events of each account. */
  readonly spent = new Map<string, Set<string>>();
  received = 0;
  /** Number of deliveries that had been received before. */
  repeated = 0;
  /** Number of deliveries without a valid signature. */
  unsigned = 0;
  readonly #ids = new Set<string>();

  /** Counts deliveries from now on. Each account has its own path. */
  count(receiver: Receiver, accounts: readonly Account[]): void {
    const secrets = new Map(accounts.map(({ id, signingSecret }) => [`/${id}`, signingSecret]));
    receiver.behaviour = (response, delivery) => {
      receiver.take();
      this.received++;
      const id = String(delivery.headers['x-webhook-delivery']);
      if (this.#ids.has(id)) this.repeated++;
      this.#ids.add(id);
      if (!isSignedWith(secrets.get(delivery.path) ?? '', delivery)) this.unsigned++;
      const account = delivery.path.slice(1);
      if (delivery.body.event === 'Contact Created') this.contacts.add(`${account} ${delivery.body.data.contact.id}`);
      else this.spent.set(account, (this.spent.get(account) ?? new Set()).add(delivery.body.event_id as string));
      response.writeHead(200).end();
    };
  }
}
