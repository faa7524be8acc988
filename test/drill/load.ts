import { setTimeout as sleep } from 'node:timers/promises';
import { phoneNumber } from '../support/accounts.ts';
import type { Account, Accounts } from './accounts.ts';
import { Attempts, type Outcome } from './attempts.ts';
import type { Random } from '../../src/service/areas/sandbox/history/random.ts';
import type { Servers } from './servers.ts';

/** Maximum duration of a request, in milliseconds. One that takes 30 seconds returns 503 (rule conventions.23). */
const requestLimit = 45_000;

interface Result {
  readonly outcome: Outcome;
  readonly body: Record<string, unknown>;
}

/** Writes to the servers continuously, and records what was acknowledged. */
export class Load {
  readonly messages = new Attempts();
  readonly tags = new Attempts();
  readonly contacts = new Attempts();
  /** The tags of contacts. */
  readonly labels = new Attempts();
  readonly transfers: Record<Outcome, number> = { acknowledged: 0, unknown: 0, refused: 0 };
  /** Number of responses by status. */
  readonly statuses = new Map<number, number>();
  /** Number of requests whose response was cut off. */
  cutOff = 0;
  /** Number of requests that reached no server. */
  unreachable = 0;
  /** Number of requests without a response within the limit. */
  unanswered = 0;
  acknowledged = 0;
  /** The longest time without an acknowledgement, in milliseconds. */
  longestPause = 0;
  readonly #servers: Servers;
  readonly #accounts: Accounts;
  readonly #random: Random;
  /** The acknowledged contacts and tags of each account, which later requests can use. */
  readonly #known = new Map<string, { contacts: string[]; tags: string[] }>();
  #made = 0;
  #lastAcknowledged = performance.now();
  #isRunning = true;
  readonly #workers: Promise<void>[];

  constructor(servers: Servers, accounts: Accounts, random: Random, workers: number) {
    this.#servers = servers;
    this.#accounts = accounts;
    this.#random = random;
    for (const { id } of accounts.all) this.#known.set(id, { contacts: [], tags: [] });
    this.#workers = Array.from({ length: workers }, () => this.#work());
  }

  /** Waits until a number of further writes have been acknowledged. Returns false if that takes longer than the limit. */
  async progresses(count: number, limit: number, signal: AbortSignal): Promise<boolean> {
    const wanted = this.acknowledged + count;
    const deadline = performance.now() + limit;
    while (this.acknowledged < wanted && performance.now() < deadline) await sleep(20, undefined, { signal });
    return this.acknowledged >= wanted;
  }

  /** Stops after all requests have ended. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#workers);
  }

  async #work(): Promise<void> {
    while (this.#isRunning) {
      const account = this.#random.pick(this.#accounts.all);
      const dice = this.#random.below(100);
      if (dice < 45) await this.#send(account, phoneNumber(this.#random.below(100)));
      else if (dice < 60) await this.#send(account, this.#newNumber());
      else if (dice < 70) await this.#import(account);
      else if (dice < 80) await this.#tag(account);
      else if (dice < 90) await this.#label(account);
      else await this.#transfer();
    }
  }

  #newNumber(): string {
    return phoneNumber(1000 + this.#made++);
  }

  async #send(account: Account, number: string): Promise<void> {
    const text = `Message ${this.#made++}`;
    const { outcome, body } = await this.#post(account, '/contacts/send', { channel: 'chatapp', phone_number: number, body: text });
    this.messages.note(`${account.id} ${text}`, outcome);
    this.contacts.note(`${account.id} ${number}`, outcome);
    if (outcome === 'acknowledged') this.#known.get(account.id)?.contacts.push(body.contact_id as string);
  }

  async #import(account: Account): Promise<void> {
    const numbers = Array.from({ length: 10 }, () => this.#newNumber());
    const { outcome } = await this.#post(account, '/contacts/import', { contacts: numbers.map((number) => ({ phone_number: number })) });
    for (const number of numbers) this.contacts.note(`${account.id} ${number}`, outcome);
  }

  async #tag(account: Account): Promise<void> {
    const name = `tag ${this.#made++}`;
    const { outcome, body } = await this.#post(account, '/tags', { name });
    this.tags.note(`${account.id} ${name}`, outcome);
    if (outcome === 'acknowledged') this.#known.get(account.id)?.tags.push((body.tag as { id: string }).id);
  }

  async #label(account: Account): Promise<void> {
    const { contacts = [], tags = [] } = this.#known.get(account.id) ?? {};
    if (contacts.length === 0 || tags.length === 0) return await this.#tag(account);
    const [contact, tag] = [this.#random.pick(contacts), this.#random.pick(tags)];
    const { outcome } = await this.#post(account, `/contacts/${contact}/tags`, { tag_id: tag });
    this.labels.note(`${account.id} ${contact} ${tag}`, outcome);
  }

  async #transfer(): Promise<void> {
    const { agency, client } = this.#accounts;
    const { outcome } = await this.#post(agency, `/subaccounts/${client}/credits`, { amount: 1 });
    this.transfers[outcome]++;
  }

  async #post(account: Account, path: string, body: unknown): Promise<Result> {
    const { base_url: origin } = this.#servers.ready(this.#random.below(this.#servers.count));
    try {
      const response = await fetch(origin + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${account.key}` },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(requestLimit),
      });
      const answer = (await response.json()) as Record<string, unknown>;
      this.statuses.set(response.status, (this.statuses.get(response.status) ?? 0) + 1);
      if (response.ok) this.#acknowledge();
      const refused = response.status < 500 ? 'refused' : 'unknown';
      return { outcome: response.ok ? 'acknowledged' : refused, body: answer };
    } catch (error) {
      return { outcome: await this.#noteFailure(error as Error), body: {} };
    }
  }

  #acknowledge(): void {
    const now = performance.now();
    this.longestPause = Math.max(this.longestPause, now - this.#lastAcknowledged);
    this.#lastAcknowledged = now;
    this.acknowledged++;
  }

  async #noteFailure(error: Error): Promise<Outcome> {
    if (error.name === 'TimeoutError') {
      this.unanswered++;
      return 'unknown';
    }
    if ((error.cause as { code?: string } | undefined)?.code !== 'ECONNREFUSED') {
      this.cutOff++;
      return 'unknown';
    }
    this.unreachable++;
    await sleep(20);
    return 'refused';
  }
}
