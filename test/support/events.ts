import { randomUUID } from 'node:crypto';
import { eventNames } from '../../src/contract/areas/webhooks/event-names.ts';
import { Receiver } from './receiver.ts';
import type { TestService } from './test-service.ts';

/** An event as a subscriber received it. */
interface Told {
  readonly event: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects by asserting it
  readonly data: any;
}

/** A subscription to every event of an account. */
export class Events {
  readonly #service: TestService;
  readonly #receiver: Receiver;
  /** A unique path: a later receiver can get the port of an earlier one, to which deliveries may still be sent. */
  readonly #path = `/${randomUUID()}`;

  private constructor(service: TestService, receiver: Receiver) {
    this.#service = service;
    this.#receiver = receiver;
  }

  static async of(service: TestService, key = service.key): Promise<Events> {
    const receiver = await Receiver.open();
    const events = new Events(service, receiver);
    await service.post('/webhooks', { url: receiver.url(events.#path), subscribed_to: eventNames }, { key });
    return events;
  }

  /** The events since the last call, in order. */
  async take(): Promise<Told[]> {
    await this.#service.sandbox('POST', '/settle');
    const order = await this.#order();
    return this.#receiver
      .take()
      .filter(({ path }) => path === this.#path)
      .map(({ body }) => body as Told & { event_id: string })
      .sort((a, b) => order.indexOf(a.event_id) - order.indexOf(b.event_id));
  }

  /** The names of the events since the last call. */
  async names(): Promise<string[]> {
    return (await this.take()).map(({ event }) => event);
  }

  async close(): Promise<void> {
    await this.#receiver.close();
  }

  /**
   * Deliveries are sent concurrently, so the order of events is determined from the list of deliveries, not from their arrival.
   */
  async #order(): Promise<string[]> {
    const { body } = await this.#service.sandbox('GET', '/deliveries?limit=100');
    return (body.deliveries as { event_id: string }[]).map(({ event_id: id }) => id).reverse();
  }
}
