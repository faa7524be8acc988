import { describe, expect } from 'vitest';
import { call, engines, type Ready } from '../support/processes.ts';
import { Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { it } from '../support/workplace-test.ts';

/** At 20 a second. One of 10,000, for which MSGCTL_TEST_REPLAYED can be set, takes nine minutes. */
const missed = Number(process.env.MSGCTL_TEST_REPLAYED ?? 200);

const kills = 4;

/** The deliveries of a part of a replay, whose outcomes are written together. */
const ofPart = 20;

const contactsOf = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ phone_number: `+1415${2_000_000 + first + index}` }));

describe.each(engines)('on %s', (engine) => {
  // Proves rules webhooks.127, webhooks.129.
  it('a replay goes on after each kill -9, and sends nothing again that was recorded', { timeout: 1_200_000 }, async ({ workplace }) => {
    const receiver = await Receiver.open();
    const options = ['--allow-private-receivers', ...(await workplace.databaseOptions(engine))];
    let server = await workplace.serve(options);
    const key = server.ready.api_key as string;
    const api = async (method: string, path: string, body?: unknown) => {
      const answer = await call(`${server.ready.base_url}${path}`, key, method, body);
      expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
      return answer.body;
    };
    await liftLimits(server.ready);
    await api('POST', '/webhooks', { url: receiver.url(), name: 'orders', subscribed_to: ['Contact Created'], enabled: false });
    for (let first = 0; first < missed; first += 100) await api('POST', '/contacts/import', { contacts: contactsOf(first, 100) });
    await api('PUT', '/webhooks/orders', { enabled: true });
    const started = Date.now();
    const { replay_id: id, queued } = await api('POST', '/webhooks/orders/replay', { from: new Date(started - 3_600_000).toISOString() });
    expect(queued).toBe(missed);
    const mayRepeat = new Set<string>();
    for (let kill = 1; kill <= kills; kill++) {
      await until(() => receiver.received.length >= (kill * missed) / (kills + 1));
      server.child.kill('SIGKILL');
      await server.exited;
      for (const { body } of receiver.received.slice(-ofPart)) mayRepeat.add(body.event_id as string);
      server = await workplace.serve(options);
    }
    const progress = async () => (await api('GET', `/webhooks/orders/replays/${id as string}`)).replay;
    await until(async () => ((await progress()) as { status: string }).status === 'completed');
    expect(await progress()).toEqual({ id, status: 'completed', queued: missed, delivered: missed, failed: 0, pending: 0 });
    expect(Date.now() - started).toBeGreaterThan((missed - 1) * 50);
    const events = receiver.received.map(({ body }) => body.event_id as string);
    const times = Map.groupBy(receiver.received, ({ headers }) => headers['x-webhook-delivery']);
    expect([times.size, new Set(events).size]).toEqual([missed, missed]);
    const repeated = events.filter((event, index) => events.indexOf(event) < index);
    expect(repeated.filter((event) => !mayRepeat.has(event))).toEqual([]);
    expect(new Set(receiver.received.map(({ headers }) => headers['x-webhook-attempt']))).toEqual(new Set(['1']));
    const numbers = [...new Set(receiver.received.map(({ body }) => body.data.contact.phone_number as string))];
    // A part is sent side by side, and a kill can cut off the first of it.
    const places = new Map(numbers.toSorted().map((number, place) => [number, place]));
    expect(numbers.filter((number, place) => Math.abs((places.get(number) ?? 0) - place) >= ofPart)).toEqual([]);
    await receiver.close();
  });
});

async function liftLimits(ready: Ready): Promise<void> {
  const plan = { key_requests_per_minute: 1_000_000, account_requests_per_minute: 1_000_000 };
  await call(`${ready.sandbox_url}/accounts/${ready.account_id}`, ready.sandbox_token, 'PATCH', { plan });
}
