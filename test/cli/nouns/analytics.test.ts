import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { daysOf, parseDays, withUsualDays } from '../../../src/cli/nouns/analytics/days.ts';
import { seriesColumns, seriesRows } from '../../../src/cli/nouns/analytics/rows.ts';
import { Home } from '../../support/terminal-world.ts';

const now = Date.parse('2027-03-01T23:30:00Z');

it.each([
  ['2027-02-28', '2027-02-28', '2027-02-28'],
  ['1d', '2027-03-01', '2027-03-01'],
  ['7d', '2027-02-23', '2027-03-01'],
  ['today', '2027-03-01', '2027-03-01'],
  ['yesterday', '2027-02-28', '2027-02-28'],
  ['this-month', '2027-03-01', '2027-03-31'],
  ['last-month', '2027-02-01', '2027-02-28'],
  ['2026-Q3', '2026-07-01', '2026-09-30'],
  ['2026-q4', '2026-10-01', '2026-12-31'],
  ['2028-02', '2028-02-01', '2028-02-29'],
  ['2026', '2026-01-01', '2026-12-31'],
])('reads the days %s', (text, from, to) => {
  expect(parseDays(text, now)).toEqual({ from, to });
});

it.each(['', '2027-02-29', '0d', '7', '2026-Q5', '2026-13', 'next-month', '7d ago'])('refuses the days %j', (text) => {
  expect(parseDays(text, now)).toBeUndefined();
});

it('takes all days from --from unless it is a date', () => {
  expect(daysOf({ from: 'last-month' }, now)).toEqual({ from: '2027-02-01', to: '2027-02-28' });
  expect(daysOf({ from: '2027-01-05' }, now)).toEqual({ from: '2027-01-05' });
  expect(daysOf({ from: '2026-Q3', to: '2026-Q4' }, now)).toEqual({ from: '2026-07-01', to: '2026-12-31' });
  expect(daysOf({ to: 'last-month' }, now)).toEqual({ to: '2027-02-28' });
  expect(() => daysOf({ from: 'soon' }, now)).toThrow('--from must be YYYY-MM-DD');
  expect(withUsualDays({}, now)).toEqual({ from: '2027-01-31', to: '2027-03-01' });
});

it('writes series in long form, with what did not fit as its own key', () => {
  const answer = {
    from: '2027-02-28',
    to: '2027-03-01',
    granularity: 'day' as const,
    labels: ['2027-02-28', '2027-03-01'],
    group_by: ['date' as const, 'number' as const],
    metrics: ['sent' as const, 'credits_spent' as const],
    series: [{ key: { number: null }, total: 3, metrics: { sent: [0, 2], credits_spent: [0, 1] } }],
    other_bucket: { series_count: 2, total: 4, metrics: { sent: [4, 0], credits_spent: [0, 0] } },
    truncated: true,
  };
  expect(seriesColumns(answer)).toEqual(['date', 'number', 'sent', 'credits_spent']);
  expect(seriesRows(answer)).toEqual([
    { date: '2027-02-28', number: null, sent: 0, credits_spent: 0 },
    { date: '2027-03-01', number: null, sent: 2, credits_spent: 1 },
    { date: '2027-02-28', number: '(other)', sent: 4, credits_spent: 0 },
    { date: '2027-03-01', number: '(other)', sent: 0, credits_spent: 0 },
  ]);
});

describe('what is shown as rows', () => {
  let home: Home;

  beforeAll(async () => {
    home = new Home();
    await home.sandbox('sandbox', 'clock', 'freeze', '2027-03-01T12:00:00Z');
    await home.sandbox('sandbox', 'demo', '--messages', '200', '--days', '10');
  });

  afterAll(() => home.remove());

  it.each([
    ['summary', 'totals'],
    ['ai-cost', 'totals'],
    ['series', 'labels'],
    ['outcomes', 'totals'],
    ['conversation-costs', 'summary'],
    ['insights', 'data'],
  ])('is the answer to the expressions of %s', async (verb, field) => {
    const show = (...options: string[]) => home.sandbox('analytics', verb, '--from', '2027-02-20', '--to', '2027-03-01', ...options);
    const expected = (await show('-o', 'json')).json[field];
    expect(expected).toBeDefined();
    for (const options of [[], ['-o', 'json']])
      for (const expression of [
        ['--query', `to_string(${field})`],
        ['--jq', `.${field} | tojson`],
      ]) {
        const { code, stdout } = await show(...expression, ...options);
        expect(code).toBe(0);
        const text = stdout.startsWith('"') ? (JSON.parse(stdout) as string) : stdout;
        expect(JSON.parse(text)).toEqual(expected);
      }
    expect((await show('-o', 'csv')).stdout.split('\n').length).toBeGreaterThan(3);
  });
});
