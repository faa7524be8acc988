import { expect, it } from 'vitest';
import { type Conversation, conversations, type HistoryPlan } from '../../../../src/service/areas/sandbox/history/conversations.ts';
import { agency } from '../../../../src/service/areas/sandbox/history/businesses.ts';
import { Random } from '../../../../src/service/areas/sandbox/history/random.ts';
import { epoch } from '../../../support/test-service.ts';

// Generated conversations before they are stored. They prove rule activity.17.

const midnight = Date.parse('2027-03-01T00:00:00Z');

const day = 86_400_000;
const make = (plan: Partial<HistoryPlan>, seed = 1) => [
  ...conversations(agency, { messages: 5_000, days: 28, now: epoch, ...plan }, new Random(seed)),
];
const saidOf = (made: readonly Conversation[]) => made.flatMap(({ messages }) => messages);

it('generated conversations have the requested number of messages, all in the past, and start in order', () => {
  for (const plan of [
    {},
    { messages: 1, days: 1 },
    { days: 1, now: midnight },
    { days: 1, now: midnight + 1 },
    { messages: 300, days: 200 },
    // The shares of the hours add up to more than 10.
    { messages: 10, days: 1_000, now: Date.parse('2027-03-03T03:00:00.001Z') },
  ]) {
    const { messages, now, days } = { messages: 5_000, now: epoch, days: 28, ...plan };
    const made = make(plan);
    const said = saidOf(made);
    expect(said).toHaveLength(messages);
    expect(said.every(({ at }) => at < now && at >= now - (days + 1) * day)).toBe(true);
    const starts = made.map(({ messages: [first] }) => first?.at ?? 0);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  }
});

it('generated messages fill the current day in proportion to the elapsed part', () => {
  const share = (now: number) => saidOf(make({ now })).filter(({ at }) => at >= midnight).length;
  expect(share(midnight)).toBe(0);
  expect(share(midnight + 3_600_000)).toBeLessThan(10);
  expect(share(midnight + 10 * 3_600_000)).toBeLessThan(share(midnight + 20 * 3_600_000) * 0.6);
});

it('generated messages vary by time of day and day of the week', () => {
  const said = saidOf(make({ messages: 20_000 }));
  const count = (is: (date: Date) => boolean) => said.filter(({ at }) => is(new Date(at))).length;
  expect(count((date) => date.getUTCHours() < 5)).toBeLessThan(said.length / 10);
  // Sundays compared with Tuesdays.
  expect(count((date) => date.getUTCDay() === 0)).toBeLessThan(count((date) => date.getUTCDay() === 2) / 2);
});

it('the same seed generates the same conversations, and another seed different ones', () => {
  expect(make({}, 3)).toEqual(make({}, 3));
  expect(make({}, 3)).not.toEqual(make({}, 4));
});
