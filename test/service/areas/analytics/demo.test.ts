import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestService } from '../../../support/test-service.ts';

let service: TestService;

beforeEach(async () => {
  service = await TestService.open();
  await service.sandbox('POST', '/clock', { frozen: true });
});

afterEach(async () => {
  expect(service.errors).toEqual([]);
  await service.close();
});

const demo = async (body: object) => {
  const answer = await service.sandbox('POST', '/demo', body);
  expect(answer.status).toBe(200);
  return answer.body;
};

const figures = async () => {
  const { body } = await service.get('/analytics/summary?from=2026-10-01');
  const { data } = (await service.get('/analytics/dashboard-insights?startDate=2026-12-01&endDate=2027-03-01')).body;
  return [body, data.heatmap, data.channelVolume, data.inboxSla, data.contactsByCountry, data.conversation_outcomes, data.ai_human_split];
};

// Proves rule activity.16.
it('makes up a history whose counters are those of its records, the same for the same seed', async () => {
  const made = await demo({ messages: 2_000, days: 60, seed: 7 });
  expect(made).toMatchObject({ messages: 2_000 });
  for (const count of Object.values(made).filter((value) => typeof value === 'number')) expect(count).toBeGreaterThan(100);
  const first = await figures();
  expect(first[0].totals.sent).toBeGreaterThan(500);
  expect(first[0].totals.replied).toBeGreaterThan(100);
  expect((await service.sandbox('POST', '/rebuild-counts')).body.changed).toBe(0);
  const { balance } = (await service.get('/users/me/credits')).body;
  expect(balance).toBeGreaterThanOrEqual(0);
  expect((await service.sandbox('GET', '/deliveries')).body.deliveries).toEqual([]);
  const days = first[0].by_date.filter(({ sent }: { sent: number }) => sent > 0).length;
  expect(days).toBeGreaterThan(50);
  const { key } = service;
  const again = (await service.sandbox('POST', '/reset')).body;
  service.key = again.api_key as string;
  expect(service.key).not.toBe(key);
  await demo({ messages: 2_000, days: 60, seed: 7 });
  expect(await figures()).toEqual(first);
});

// Proves rule activity.16.
it('can be added to, and is refused when it is too much', async () => {
  await demo({ messages: 200, days: 10 });
  await demo({ messages: 200, days: 10, seed: 2 });
  expect((await service.get('/analytics/summary')).body.totals.sent).toBeGreaterThan(150);
  for (const body of [{ messages: 0 }, { days: 0 }, { days: 1.5 }, { seed: -1 }, { messages: 1e9 }])
    expect((await service.sandbox('POST', '/demo', body)).status).toBe(400);
});
