import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Receiver } from '../../../support/receiver.ts';
import { engine } from '../../../support/stores.ts';
import { tries } from '../../../support/sweeps.ts';
import { TestService } from '../../../support/test-service.ts';

// Compares random sequences of operations on a subscription with a simple model of the rules: no attempt may be lost or
// superfluous, and attempts must be made in order and on time, even after crashes.

const minute = 60_000;
const schedule = [minute, 5 * minute, 30 * minute, 120 * minute];
/** How the receiver responds: with success, a temporary failure or a permanent failure. */
type Status = 200 | 500 | 404;

/** A delivery waiting for its next attempt. */
interface Waiting {
  readonly event: string;
  readonly firstAt: number;
  attempts: number;
  dueAt: number;
}

/** A simple implementation of the rules. */
class Model {
  now: number;
  enabled = true;
  exists = true;
  retries = true;
  path = '/a';
  failing: Status = 200;
  secret = 0;
  /** Consecutive failures and the pause, by path. */
  readonly health = new Map<string, { failures: number; disabled: boolean }>();
  waiting: Waiting[] = [];
  /** All required attempts: event, path, number, time, and the secret that signs. */
  readonly sent: [event: string, path: string, attempt: number, at: number, secret: number][] = [];

  constructor(now: number) {
    this.now = now;
  }

  get isPaused(): boolean {
    return this.health.get(this.path)?.disabled ?? false;
  }

  emit(event: string): void {
    if (!this.exists || !this.enabled || this.isPaused) return;
    this.attempt({ event, firstAt: this.now, attempts: 0, dueAt: this.now });
  }

  attempt(delivery: Waiting): void {
    if (!this.exists || !this.enabled || this.isPaused) return;
    delivery.attempts++;
    this.sent.push([delivery.event, this.path, delivery.attempts, this.now, this.secret]);
    const health = this.health.get(this.path) ?? { failures: 0, disabled: false };
    if (this.failing === 500 && this.retries && delivery.attempts <= schedule.length) {
      delivery.dueAt = delivery.firstAt + (schedule[delivery.attempts - 1] ?? 0);
      this.waiting.push(delivery);
      return;
    }
    health.failures = this.failing === 200 ? 0 : health.failures + 1;
    health.disabled ||= health.failures >= 10;
    this.health.set(this.path, health);
  }

  advance(milliseconds: number): void {
    const end = this.now + milliseconds;
    for (;;) {
      // The earliest due delivery comes first; of several, the one that has waited longest.
      const next = this.waiting
        .filter(({ dueAt }) => dueAt <= end)
        .reduce<Waiting | null>((first, each) => (first && first.dueAt <= each.dueAt ? first : each), null);
      if (!next) break;
      this.waiting = this.waiting.filter((each) => each !== next);
      this.now = Math.max(this.now, next.dueAt);
      this.attempt(next);
    }
    this.now = end;
  }
}

type Step =
  | { kind: 'emit' | 'fail10' | 'reenable' | 'rotate' | 'delete' | 'crash' }
  | { kind: 'switch'; on: boolean }
  | { kind: 'retries'; on: boolean }
  | { kind: 'url'; path: string }
  | { kind: 'receiver'; status: Status }
  | { kind: 'advance'; minutes: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 60, arbitrary: fc.constant<Step>({ kind: 'emit' }) },
  { weight: 10, arbitrary: fc.constant<Step>({ kind: 'fail10' }) },
  { weight: 50, arbitrary: fc.constantFrom(0, 1, 4, 5, 26, 90, 200).map((minutes): Step => ({ kind: 'advance', minutes })) },
  { weight: 40, arbitrary: fc.constantFrom<Status>(200, 500, 404).map((status): Step => ({ kind: 'receiver', status })) },
  { weight: 20, arbitrary: fc.boolean().map((on): Step => ({ kind: 'switch', on })) },
  { weight: 10, arbitrary: fc.boolean().map((on): Step => ({ kind: 'retries', on })) },
  { weight: 20, arbitrary: fc.constantFrom('/a', '/b').map((path): Step => ({ kind: 'url', path })) },
  { weight: 10, arbitrary: fc.constantFrom<Step>({ kind: 'reenable' }, { kind: 'rotate' }, { kind: 'crash' }) },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'delete' }) },
);

let receiver: Receiver;
let service: TestService;
let beside: TestService[] = [];

beforeAll(async () => {
  receiver = await Receiver.open();
});

afterAll(() => receiver.close());

beforeEach(async () => {
  service = await TestService.open();
});

afterEach(async () => {
  for (const other of beside) await other.service.close();
  beside = [];
  await service.close();
});

// Proves rules webhooks.19, webhooks.35, webhooks.44, webhooks.56, webhooks.57, webhooks.59, webhooks.60, webhooks.62
// and rules webhooks.69, webhooks.71, webhooks.72, webhooks.74, webhooks.75, webhooks.76, webhooks.81, webhooks.82.
it('random sequences of events, failures, switches, rotations and crashes follow the rules', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
      receiver.take();
      receiver.behaviour = 200;
      const { account_id: accountId, api_key: key } = await service.makeAccount();
      await service.liftLimits(accountId);
      const { now } = (await service.sandbox('POST', '/clock', { frozen: true })).body as { now: string };
      const model = new Model(Date.parse(now));
      let active = service;
      const secrets: string[] = [];
      const body = {
        url: receiver.url('/a'),
        subscribed_to: ['Replies'],
        retries_enabled: true,
        name: 'it',
        generate_signing_secret: true,
      };
      secrets.push((await active.post('/webhooks', body, { key })).body.signing_secret as string);
      const change = (fields: object) => active.put('/webhooks/it', fields, { key });
      let count = 0;
      const emit = async () => {
        const event = `event ${++count}`;
        const sent = await active.sandbox('POST', `/accounts/${accountId}/events`, { event: 'Replies', data: { message: { id: event } } });
        expect(sent.status).toBe(200);
        await active.sandbox('POST', '/settle');
        model.emit(event);
      };

      for (const each of steps) {
        if (!model.exists && each.kind !== 'emit' && each.kind !== 'advance') continue;
        switch (each.kind) {
          case 'emit':
            await emit();
            break;
          case 'fail10':
            // Enough consecutive failures to disable it.
            receiver.behaviour = 404;
            model.failing = 404;
            for (let round = 0; round < 10; round++) await emit();
            break;
          case 'advance':
            await active.sandbox('POST', '/clock/advance', { seconds: each.minutes * 60 });
            model.advance(each.minutes * minute);
            break;
          case 'receiver':
            receiver.behaviour = each.status;
            model.failing = each.status;
            break;
          case 'switch':
            await change({ enabled: each.on });
            model.enabled = each.on;
            break;
          case 'retries':
            await change({ retries_enabled: each.on });
            model.retries = each.on;
            break;
          case 'url':
            await change({ url: receiver.url(each.path) });
            if (each.path !== model.path) model.health.set(each.path, { failures: 0, disabled: false });
            model.path = each.path;
            break;
          case 'reenable':
            await active.post('/webhooks/it/reenable', {}, { key });
            model.health.set(model.path, { failures: 0, disabled: false });
            break;
          case 'rotate':
            secrets.push((await active.post('/webhooks/it/signing-secret', {}, { key })).body.signing_secret as string);
            model.secret++;
            break;
          case 'delete':
            expect((await active.delete('/webhooks/it', { key })).status).toBe(200);
            model.exists = false;
            break;
          case 'crash':
            // Another process continues on the store, as after a crash.
            beside.push((active = await TestService.on(service.database, {}, service)));
            break;
        }
      }
      await active.sandbox('POST', '/clock/advance', { seconds: 3 * 3600 });
      model.advance(180 * minute);

      const { signDelivery } = await import('../../../../src/contract/deliveries/signature.ts');
      const sent = receiver.take().map(({ path, headers, text, body: received }) => {
        const timestamp = String(headers['x-webhook-timestamp']);
        const signer = secrets.findIndex((secret) => signDelivery(secret, timestamp, text) === headers['x-webhook-signature']);
        return [received.data.message.id, path, Number(headers['x-webhook-attempt']), Number(timestamp), signer];
      });
      expect(sent).toEqual(model.sent.map(([event, path, attempt, at, secret]) => [event, path, attempt, Math.floor(at / 1000), secret]));
    }),
    { numRuns: tries(engine === 'sqlite' ? 20 : 6) },
  );
  expect([service, ...beside].flatMap(({ errors }) => errors)).toEqual([]);
});
