import { stripVTControlCharacters } from 'node:util';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dashboard } from '../../../src/contract/areas/analytics/dashboard.ts';
import { drawCharts } from '../../../src/cli/nouns/analytics/drawing.ts';
import { comparedRows } from '../../../src/cli/nouns/analytics/compared.ts';
import { daysOf, isCounted, parseDays, withDefaultDays } from '../../../src/cli/verb/days.ts';
import { joinConversationCosts } from '../../../src/cli/nouns/analytics/join.ts';
import { pivot } from '../../../src/cli/nouns/analytics/pivot.ts';
import { dayAfter, lengthOf, partsOf, periodBefore } from '../../../src/cli/figures/ranges.ts';
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

it.each(['', '2027-02-29', '0d', '7', '0001', '0099-12', '0000-Q1', '2026-Q5', '2026-13', 'next-month', '7d ago'])(
  'refuses the days %j',
  (text) => {
    expect(parseDays(text, now)).toBeUndefined();
  },
);

it('takes the whole period from --from unless it is a date', () => {
  expect(daysOf({ from: 'last-month' }, now)).toEqual({ from: '2027-02-01', to: '2027-02-28' });
  expect(daysOf({ from: '2027-01-05' }, now)).toEqual({ from: '2027-01-05' });
  expect(daysOf({ from: ' 2027-01-05 ' }, now)).toEqual({ from: '2027-01-05' });
  expect(daysOf({ from: '2026-Q3', to: '2026-Q4' }, now)).toEqual({ from: '2026-07-01', to: '2026-12-31' });
  expect(daysOf({ from: 'this-month' }, now)).toEqual({ from: '2027-03-01', to: '2027-03-01' });
  expect(daysOf({ from: '2027-Q2' }, now)).toEqual({ from: '2027-04-01', to: '2027-06-30' });
  expect(daysOf({ to: 'last-month' }, now)).toEqual({ to: '2027-02-28' });
  expect(() => daysOf({ from: 'soon' }, now)).toThrow("--from 'soon' must be YYYY-MM-DD");
  expect(() => daysOf({ from: '2h' }, now)).toThrow("--from '2h' is not a whole day, but figures are for whole days in UTC: write ");
  expect(withDefaultDays({}, now)).toEqual({ from: '2027-01-31', to: '2027-03-01' });
});

it('writes series in long form, with the other bucket as its own key', () => {
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

const day = fc.integer({ min: 0, max: 3_000 }).map((days) => dayAfter('2024-01-01', days));
const granularity = fc.constantFrom('day' as const, 'week' as const, 'month' as const);

it('cuts a range into requests of allowed length, without gaps or split weeks and months', () => {
  fc.assert(
    fc.property(day, fc.nat(1_500), fc.constantFrom(31, 92, 366), granularity, (from, length, most, steps) => {
      const parts = partsOf({ from, to: dayAfter(from, length) }, most, steps);
      expect(parts[0]?.from).toBe(from);
      expect(parts.at(-1)?.to).toBe(dayAfter(from, length));
      for (const [index, part] of parts.entries()) {
        expect(lengthOf(part)).toBeGreaterThan(0);
        expect(lengthOf(part)).toBeLessThanOrEqual(most);
        const next = parts[index + 1];
        if (!next) continue;
        expect(next.from).toBe(dayAfter(part.to, 1));
        if (steps === 'month') expect(next.from).toMatch(/-01$/);
        if (steps === 'week') expect(new Date(next.from).getUTCDay()).toBe(1);
      }
    }),
  );
});

it('cuts a range of thousands of years', () => {
  expect(partsOf({ from: '1000-01-01', to: '9999-12-31' }, 31)).toHaveLength(
    Math.ceil(lengthOf({ from: '1000-01-01', to: '9999-12-31' }) / 31),
  );
});

it.each([
  ['2027-02-01', '2027-02-28', '2027-01-01', '2027-01-31'],
  ['2026-07-01', '2026-09-30', '2026-04-01', '2026-06-30'],
  ['2026-01-01', '2026-12-31', '2025-01-01', '2025-12-31'],
  ['2027-02-23', '2027-03-01', '2027-02-16', '2027-02-22'],
  ['2027-03-02', '2027-03-02', '2027-03-01', '2027-03-01'],
  ['2026-11-01', '2026-11-22', '2026-10-01', '2026-10-22'],
  ['2027-03-01', '2027-03-30', '2027-02-01', '2027-02-28'],
  ['2027-03-01', '2027-03-01', '2027-02-28', '2027-02-28'],
])('the period before %s to %s is %s to %s', (from, to, previousFrom, previousTo) => {
  expect(periodBefore({ from, to }, false)).toEqual({ from: previousFrom, to: previousTo });
});

it.each([
  ['7d', '2027-04-07', '2027-03-25', '2027-03-31'],
  ['31d', '2027-03-31', '2027-01-29', '2027-02-28'],
  ['this-month', '2027-04-07', '2027-03-01', '2027-03-07'],
  [undefined, '2027-01-30', '2026-12-02', '2026-12-31'],
])('the period before %s on %s is %s to %s', (text, today, from, to) => {
  const at = Date.parse(`${today}T12:00:00Z`);
  expect(periodBefore(withDefaultDays(daysOf({ from: text }, at), at), isCounted(text))).toEqual({ from, to });
});

it('turns series into columns', () => {
  const rows = [
    { date: 'a', channel: 'sms', sent: 1, read: 2 },
    { date: 'b', channel: 'sms', sent: 3, read: 4 },
    { date: 'a', channel: null, sent: 5, read: 6 },
  ];
  const dates = ['a', 'b'];
  expect(pivot({ rows, dates, keys: ['channel'], figures: ['sent'] })).toEqual({
    columns: ['date', 'sms', '(none)'],
    headings: new Map([
      ['sms', 'SMS'],
      ['(none)', '(NONE)'],
    ]),
    rows: [
      { date: 'a', sms: 1, '(none)': 5 },
      { date: 'b', sms: 3 },
    ],
  });
  expect(pivot({ rows, dates, keys: ['channel'], figures: ['sent', 'read'] }).columns).toEqual([
    'date',
    'sent sms',
    'read sms',
    'sent (none)',
    'read (none)',
  ]);
  expect(pivot({ rows: rows.slice(0, 2), dates, keys: [], figures: ['sent'] }).rows).toEqual([
    { date: 'a', sent: 1 },
    { date: 'b', sent: 3 },
  ]);
  expect(pivot({ rows: [], dates, keys: ['campaign'], figures: ['sent'] })).toEqual({
    columns: ['date'],
    headings: new Map(),
    rows: [{ date: 'a' }, { date: 'b' }],
  });
});

it('keeps user-defined names as column headings, and makes colliding columns distinct', () => {
  const names = ['Spring menu', 'date', '__proto__', '(none)', null, '(other)'];
  const rows = names.map((tag, index) => ({ date: 'a', tag, conversations: index }));
  const { columns, headings, rows: pivoted } = pivot({ rows, dates: ['a'], keys: ['tag'], figures: ['conversations'] });
  expect(columns).toEqual(['date', 'Spring menu', 'date (2)', '__proto__', '(none)', '(none) (2)', '(other)']);
  expect([...headings.values()]).toEqual(['Spring menu', 'date', '__proto__', '(none)', '(NONE)', '(OTHER)']);
  expect(columns.map((column) => Object.getOwnPropertyDescriptor(pivoted[0], column)?.value as unknown)).toEqual(['a', 0, 1, 2, 3, 4, 5]);
  const both = pivot({
    rows: [{ date: 'a', agent: 'Ada', sent: 1, ai_sent: 2 }],
    dates: ['a'],
    keys: ['agent'],
    figures: ['sent', 'ai_sent'],
  });
  expect([...both.headings.values()]).toEqual(['SENT Ada', 'AI SENT Ada']);
  const undated = pivot({ rows: [{ tag: 'VIP', conversations: 3 }], dates: [], keys: ['tag'], figures: ['conversations'] });
  expect([undated.columns, undated.rows]).toEqual([['VIP'], [{ VIP: 3 }]]);
});

it('compares two periods, including figures that one of them lacks or leaves out', () => {
  const current = {
    isComplete: true,
    rest: null,
    totals: [
      { about: { channel: 'sms' }, figures: { sent: 15 } },
      { about: { channel: 'email' }, figures: { sent: 2 } },
    ],
  };
  const previous = {
    isComplete: true,
    rest: null,
    totals: [
      { about: { channel: 'sms' }, figures: { sent: 10 } },
      { about: { channel: null }, figures: { sent: 4 } },
    ],
  };
  const sms = { channel: 'sms', figure: 'sent', current: 15, previous: 10, change: 5, change_percent: 50 };
  const none = { channel: null, figure: 'sent', current: 0, previous: 4, change: -4, change_percent: -100 };
  expect(comparedRows(current, previous)).toEqual([
    sms,
    { channel: 'email', figure: 'sent', current: 2, previous: 0, change: 2, change_percent: null },
    none,
  ]);
  expect(comparedRows(current, { ...previous, isComplete: false })).toEqual([
    sms,
    { channel: 'email', figure: 'sent', current: 2, previous: null, change: null, change_percent: null },
    none,
  ]);
});

it('loses no figure when only the largest are compared, and tells none that it does not know', () => {
  const figures = fc.record({ sent: fc.nat(100), read: fc.nat(100) });
  const all = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), figures);
  fc.assert(
    fc.property(all, all, fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 5 }), (now, before, most, listed) => {
      /** A period as a service answers it, which lists only the largest. */
      const period = (given: Record<string, { sent: number; read: number }>) => {
        const totals = Object.entries(given)
          .sort(([, one], [, other]) => other.sent + other.read - one.sent - one.read)
          .map(([channel, of]) => ({ about: { channel }, figures: of }));
        const rest = totals.slice(listed).reduce((sum, { figures: of }) => ({ sent: sum.sent + of.sent, read: sum.read + of.read }), {
          sent: 0,
          read: 0,
        });
        return {
          totals: totals.slice(0, listed),
          rest: { about: { channel: '(other)' }, figures: rest },
          isComplete: totals.length <= listed,
        };
      };
      const rows = comparedRows(period(now), period(before), most) as {
        channel: string;
        figure: 'sent' | 'read';
        [name: string]: unknown;
      }[];
      expect(new Set(rows.map(({ channel }) => channel).filter((channel) => channel !== '(other)')).size).toBeLessThanOrEqual(most);
      for (const [name, given] of Object.entries({ current: now, previous: before }))
        for (const figure of ['sent', 'read'] as const) {
          const values = rows.filter((row) => row.figure === figure).map((row) => row[name] as number | null);
          const sum = Object.values(given).reduce((total, of) => total + of[figure], 0);
          if (!values.includes(null)) expect(values.reduce<number>((total, value) => total + (value ?? 0), 0)).toBe(sum);
          for (const row of rows)
            if (row.figure === figure && row[name] !== null && row.channel !== '(other)')
              expect(row[name]).toBe(given[row.channel]?.[figure] ?? 0);
        }
    }),
  );
});

it('has no percentage of a figure that was not above 0', () => {
  const period = (credits: number) => ({ totals: [{ about: {}, figures: { credits_spent: credits } }], rest: null, isComplete: true });
  for (const before of [0, -12])
    expect(comparedRows(period(8), period(before))).toMatchObject([{ current: 8, previous: before, change_percent: null }]);
});

it.each([30, 40, 80, 200])('draws every chart within %d columns, in ASCII too, without control characters', async (columns) => {
  const labels = Array.from({ length: 92 }, (_, index) => dayAfter('2027-01-01', index));
  for (const unicode of [true, false]) {
    const screen = { columns, color: false, unicode, wide: false, now: () => now, timeZone: 'UTC' };
    const text = await drawCharts(
      [
        {
          kind: 'lines',
          lines: [
            { title: 'sent\u001b[2J', labels, values: labels.map((_, index) => index * 1_000) },
            { title: 'nothing', labels: labels.slice(0, 1), values: [0] },
          ],
        },
        {
          kind: 'bars',
          title: 'tags',
          bars: [
            { label: '名'.repeat(80), value: 1_000_000 },
            { label: 'VIP\u001b[2J', value: 1 },
          ],
        },
        {
          kind: 'heat map',
          title: 'hours',
          values: Array.from({ length: 7 }, (_, weekday) => Array.from({ length: 24 }, (_, hour) => weekday * hour)),
        },
      ],
      screen,
    );
    expect(text).not.toContain('\u001b');
    for (const line of text.split('\n')) expect(stringWidth(line), line).toBeLessThanOrEqual(columns);
    if (!unicode) expect(text.replaceAll('名', '')).toMatch(/^[\x20-\x7e\n]*$/);
    expect(text.replaceAll('\n', ' ')).toContain('4,186,000 in all, at most 91,000 on 2027-04-02, at least 0 on 2027-01-01');
    expect(text).toContain('1,000,000');
  }
});

const wide = { columns: 80, color: false, unicode: true, wide: false, now: () => now, timeZone: 'UTC' };

it('draws amounts of money to six decimal places, and says when there is nothing to draw', async () => {
  const line = { title: 'total_usd', labels: ['2027-03-01', '2027-03-02'], values: [0.000154, 0] };
  const text = await drawCharts([{ kind: 'lines', lines: [line] }], wide);
  expect(text).toContain('0.000154 in all, at most 0.000154 on 2027-03-01');
  expect(text).toMatch(/^0\.000154┤/m);
  expect(await drawCharts([{ kind: 'lines', lines: [] }], wide)).toBe('Nothing happened on these days.\n');
});

it('leaves the year out of the days below a line only when it is the present one', async () => {
  const labels = Array.from({ length: 40 }, (_, index) => dayAfter('2027-03-01', index));
  const draw = async (present: string) =>
    await drawCharts([{ kind: 'lines', lines: [{ title: 'sent', labels, values: labels.map((_, index) => index) }] }], {
      ...wide,
      now: () => Date.parse(present),
    });
  expect((await draw('2027-12-31T23:00:00Z')).trimEnd().split('\n').at(-1)).toMatch(/^ *03-01 +03-20 +04-09$/);
  expect((await draw('2028-01-01T00:00:00Z')).trimEnd().split('\n').at(-1)).toMatch(/^ *2027-03-01 +2027-03-20 +2027-04-09$/);
});

it('draws figures below zero below the axis', async () => {
  const labels = Array.from({ length: 10 }, (_, index) => dayAfter('2027-03-10', index));
  const line = { title: 'credits_spent', labels, values: [0, 0, 0, 4, 4, 4, -12, 8, 0, -12] };
  const text = await drawCharts([{ kind: 'lines', lines: [line] }], wide);
  expect(text).toContain('-4 in all, at most 8 on 2027-03-17, at least -12 on 2027-03-16');
  const rows = text.split('\n');
  const [highest, zero, lowest] = ['  8┤', '  0┤', '-12┤'].map((tick) => rows.findIndex((row) => row.startsWith(tick)));
  expect([highest, zero, lowest]).not.toContain(-1);
  // The line reaches the lowest value on two days: in the middle, and at the end.
  expect(rows[lowest ?? 0]?.match(/━+/g)).toHaveLength(2);
});

it('draws the average of several steps where there are too many, so that the last ones are not lower', async () => {
  const labels = Array.from({ length: 91 }, (_, index) => dayAfter('2027-01-01', index));
  const text = await drawCharts([{ kind: 'lines', lines: [{ title: 'sent', labels, values: labels.map(() => 20) }] }], wide);
  expect(text).toContain('Each point is the average of 2 steps.');
  expect(text).toMatch(/20┤━+\n/);
});

it('draws two periods with the same series on the same scales', async () => {
  const home = new Home();
  await home.sandbox('sandbox', 'clock', 'freeze', '2027-03-01T12:00:00Z');
  await home.sandbox('sandbox', 'demo', '--messages', '2000', '--days', '10');
  await home.sandbox('sandbox', 'clock', 'advance', '20d');
  // Nothing was sent from March 5 on.
  const draw = async (...options: string[]) =>
    (await home.runOnTerminal(80, 'analytics', ...options, '--compare', 'previous', '--chart', '--profile', 'sandbox')).stdout;
  const plain = (text: string) => text.replaceAll(/\u001b\[\d+m/g, '');
  const headings = (text: string) => plain(text).match(/^(sent|delivered).*$/gm);
  const days = ['--from', '2027-03-05', '--to', '2027-03-08', '--metrics', 'sent', '--group-by', 'agent'];
  expect(headings(await draw('series', ...days, '--series', '1'))).toEqual([
    expect.stringMatching(/^sent, (Ada|Max|\(none\))$/),
    expect.stringMatching(/^sent, (Ada|Max|\(none\)), the period before$/),
    'sent, (other)',
    'sent, (other), the period before',
  ]);
  expect(headings(await draw('series', ...days))).toHaveLength(6);
  expect(headings(await draw('summary', '--from', '2027-03-04', '--to', '2027-03-10'))).toContain('delivered, the period before');
  const bars = await draw('conversation-costs', '--from', '2027-03-01', '--to', '2027-03-30');
  // Of each figure, only the larger of both periods has the longest bar.
  for (const figure of plain(bars).split(/^Credits$/m)) {
    const lengths = figure.match(/█+/g)?.map(({ length }) => length);
    expect(lengths?.filter((length) => length === Math.max(...lengths))).toHaveLength(1);
  }
  home.remove();
});

describe('output shown as rows', () => {
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
  ])('is the full answer to --query and --jq of %s', async (verb, field) => {
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

describe('a key that reads only analytics', () => {
  let home: Home;

  beforeAll(async () => {
    home = new Home();
    await home.sandbox('sandbox', 'demo', '--messages', '200', '--days', '10');
    const { json } = await home.sandbox('keys', 'create', '--label', 'reports', '--section', 'Analytics', '-o', 'json');
    home.env = { ...home.env, MSGCTL_API_KEY: (json as { api_key: string }).api_key };
  });

  afterAll(() => home.remove());

  it('writes a report about a campaign that is given by its id', async () => {
    const { json } = await home.sandbox('analytics', 'series', '--group-by', 'campaign', '--from', '10d', '-o', 'json');
    const { series } = json as { series: { key: { campaign: string | null } }[] };
    const id = series.find(({ key }) => key.campaign !== null)?.key.campaign ?? '';
    const file = join(home.path, 'campaign.html');
    expect((await home.sandbox('analytics', 'report', '--campaign', id, '--html', file)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain(id);
  });

  it.each([
    ['campaign', 'cmp_'],
    ['agent', 'agt_'],
  ])('shows series by %s with their ids in tables', async (group, prefix) => {
    const { code, stdout, stderr } = await home.sandbox('analytics', 'series', '--metrics', 'sent', '--group-by', group, '--from', '3d');
    expect([code, stderr]).toEqual([0, expect.stringContaining(`The ${group}s are shown by id: this key may not read the names.`)]);
    expect(stdout).toContain(prefix);
  });

  it('has the ledger with the ids only, and a note', async () => {
    const { code, stdout, stderr } = await home.sandbox('analytics', 'credits', '--from', '10d', '-o', 'csv');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/,cmp_\S+?,,agt_\S+?,,/)]);
    for (const kind of ['agents', 'campaigns'])
      expect(stderr.split(`The ${kind} are shown by id: this key may not read the names.`)).toHaveLength(2);
    expect((await home.sandbox('analytics', 'credits', '--from', '10d')).stdout).toMatch(/ agt_\S+ +cmp_/);
  });
});

it('the ledger is complete on a service that lists no campaigns', async () => {
  const home = new Home();
  await home.sandbox('sandbox', 'demo', '--messages', '200', '--days', '10');
  await home.sandbox('sandbox', 'faults', 'add', '--path', '/campaigns', '--status', '404');
  const { code, stdout, stderr } = await home.sandbox('analytics', 'credits', '--from', '10d', '-o', 'csv');
  expect([code, stderr]).toEqual([0, 'The campaigns are shown by id: the service does not list the names.\n']);
  expect(stdout).toMatch(/,cmp_\S+?,,agt_\S+?,\w+,/);
  home.remove();
});

it('the costs of AI calls are shown by provider', async () => {
  const home = new Home();
  await home.sandbox('sandbox', 'clock', 'freeze', '2027-03-01T12:00:00Z');
  await home.sandbox('sandbox', 'accounts', 'update', '--own-ai-key', 'valid');
  await home.sandbox('sandbox', 'demo', '--messages', '300', '--days', '40');
  const show = async (...options: string[]) => await home.sandbox('analytics', 'ai-cost', '--from', '3d', ...options);
  const { days, totals } = (await show('-o', 'json')).json as {
    days: { date: string; by_provider: Record<string, number> }[];
    totals: { total_usd: number };
  };
  expect(totals.total_usd).toBeGreaterThan(0);
  const rows = days.map(({ date, by_provider: costs }) => `${date},sandbox,${costs.sandbox ?? 0}`);
  expect((await show('--by', 'provider', '-o', 'csv')).stdout.trim().split('\r\n')).toEqual(['date,provider,total_usd', ...rows]);
  const compared = (await show('--by', 'provider', '--compare', 'previous', '-o', 'csv')).stdout;
  expect(compared).toMatch(new RegExp(`^provider,figure,.*\r\nsandbox,total_usd,${totals.total_usd},`));
  expect((await show('--by', 'model')).code).toBe(2);
  home.remove();
});

describe('costs that are not shown', () => {
  it('are noted, and are not drawn', async () => {
    const home = new Home();
    await home.sandbox('sandbox', 'demo', '--messages', '200', '--days', '10');
    const costs = await home.sandbox('analytics', 'ai-cost', '--from', '3d', '--chart');
    expect(costs.stderr).toContain('Costs are shown as 0');
    expect(costs.stdout).toMatch(/^calls\n/);
    const { json } = await home.sandbox('whoami', '-o', 'json');
    const { account_id: id } = json as { account_id: string };
    await home.sandbox('sandbox', 'accounts', 'update', id, '--costs-hidden');
    const ledger = await home.sandbox('analytics', 'credits', '--from', '3d', '--limit', '1');
    expect(ledger.stderr).toContain('Costs in US dollars are shown as 0: they are hidden on this account.');
    home.remove();
  });
});

it('the dashboard has a row for each block, date and key, with the same columns in each format', async () => {
  const home = new Home();
  await home.sandbox('sandbox', 'clock', 'freeze', '2027-03-01T12:00:00Z');
  await home.sandbox('sandbox', 'demo', '--messages', '600', '--days', '10');
  const show = async (output: string) => await home.sandbox('analytics', 'dashboard', '--from', '3d', '-o', output);
  const { data } = (await show('json')).json as { data: Dashboard };
  const rows = (await show('ndjson')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const [heading = ''] = (await show('csv')).stdout.split('\r\n');
  for (const row of rows) expect(Object.keys(row).join(',')).toBe(heading);
  const of = (block: string) => rows.filter((row) => row.block === block);
  expect(of('metricDailyBreakdown').map(({ sent }) => sent)).toEqual(data.metricDailyBreakdown?.sent);
  expect(of('channelDailySeries')).toHaveLength(3 * (data.channelDailySeries?.series.length ?? 0));
  expect(of('topCampaigns').map(({ key, credits_spent: spent }) => [key, spent])).toEqual(
    data.topCampaigns.map(({ campaignId, creditsSpent }) => [campaignId, creditsSpent]),
  );
  expect(of('numberStats').map(({ reply_rate: rate }) => rate)).toEqual(data.numberStats?.map(({ replyRate }) => replyRate));
  expect(of('conversation_outcomes')).toMatchObject([data.conversation_outcomes]);
  const [campaign] = data.topCampaigns;
  const argv = ['--profile', 'sandbox', 'analytics', 'dashboard', '--from', '3d', '--query', 'data.topCampaigns'];
  const shown = await home.runOnTerminal(200, ...argv);
  expect(shown.stdout).toContain(`${Math.round((campaign?.replyRate ?? 0) * 1_000) / 10} %`);
  home.remove();
});

describe('the tags of the dashboard', () => {
  let home: Home;

  beforeAll(async () => {
    home = new Home();
    await home.sandbox('sandbox', 'clock', 'freeze', '2027-03-01T12:00:00Z');
    await home.sandbox('sandbox', 'demo', '--messages', '600', '--days', '10');
    await home.sandbox('tags', 'create', 'Guests, late');
  });

  afterAll(() => home.remove());

  const show = async (...options: string[]) => await home.sandbox('analytics', 'dashboard', '-o', 'json', ...options);

  it('are selected by name in any case and by id, several at once', async () => {
    const { json } = await home.sandbox('tags', 'list', '-o', 'json');
    const ids = new Map((json as { tags: { id: string; name: string }[] }).tags.map(({ id, name }) => [name, id]));
    const [vip = '', newsletter = ''] = [ids.get('VIP'), ids.get('Newsletter')];
    const any = await show('--tags', `${vip},${newsletter}`);
    expect(any.code).toBe(0);
    for (const named of [
      ['--tags', 'vip, newsletter'],
      ['--tags', 'VIP', '--tags', newsletter],
      ['--tags', 'Newsletter,VIP,vip'],
    ])
      expect((await show(...named)).json).toEqual(any.json);
    const all = await show('--tags', 'VIP,Newsletter', '--tag-match', 'all');
    expect(all.json).not.toEqual(any.json);
    expect(any.json).not.toEqual((await show()).json);
    expect((await show('--tags', '"Guests, late"')).code).toBe(0);
  });

  it.each([
    ['VIP,Nobody', 5, "There is no tag 'Nobody'\n`msgctl tags list` lists them."],
    ['', 2, "--tags '' must not be empty"],
    [Array.from({ length: 26 }, () => 'VIP').join(','), 2, '--tags must have at most 25 ids'],
  ])('are refused when unknown, empty or too many: %j', async (tags, code, message) => {
    const refused = await home.sandbox('analytics', 'dashboard', '--tags', tags);
    expect(refused.code).toBe(code);
    expect(refused.stderr).toContain(message);
  });
});

it('joins the costs of conversations, and says when there are more than one request counts', () => {
  const none = { sessions: 0, credits: 0, avg_credits: 0 };
  const parts = ['2027-01', '2027-02', '2027-03'].map((month) => ({
    ...{ from: `${month}-01`, to: `${month}-28`, sessions: 7_000, total_credits: 0, sessions_truncated: false },
    summary: { contained: none, handed_off: none, no_ai: none },
  }));
  expect(joinConversationCosts(parts).sessions_truncated).toBe(true);
  expect(joinConversationCosts(parts.slice(1)).sessions_truncated).toBe(false);
});

it('the costs of conversations say whether there are more of them than one request counts', async () => {
  const home = new Home();
  const { stdout, stderr } = await home.sandbox('analytics', 'conversation-costs', '-o', 'csv');
  expect(stdout).toMatch(/^handling,sessions,credits,avg_credits,sessions_truncated\r\ncontained,0,0,0,false\r\n/);
  expect(stderr).toBe('');
  home.remove();
});

it('lists the tags of all requests, without a note on the limit of one', async () => {
  const home = new Home();
  await home.sandbox('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
  for (const [part, day] of ['2027-01-10', '2027-04-30'].entries()) {
    await home.sandbox('sandbox', 'clock', 'freeze', `${day}T12:00:00Z`);
    for (let index = 0; index < 11; index++) {
      const number = `+1415555${1_000 + part * 100 + index}`;
      await home.sandbox('contacts', 'send', number, 'hello');
      await home.sandbox('contacts', 'tag', number, `Tag ${part} ${index}`);
    }
  }
  const { stdout, stderr } = await home.sandbox('analytics', 'outcomes', '--from', '2027-01-01', '--to', '2027-04-30', '--group-by', 'tag');
  expect(stdout.match(/Tag \d \d+/g)).toHaveLength(22);
  expect(stderr).not.toContain('there can be more');
  home.remove();
});

describe('days that need several requests', () => {
  let home: Home;

  /** The ledger as JSON. */
  interface Page {
    records: { id: string; campaign_id: string | null; agent_id: string | null }[];
    next_cursor: string | null;
    totals: object | null;
    by_reason: object | null;
    by_reason_cost: object | null;
    by_campaign: object | null;
  }

  beforeAll(async () => {
    home = new Home();
    await home.sandbox('sandbox', 'clock', 'freeze', '2027-03-01T12:00:00Z');
    await home.sandbox('sandbox', 'demo', '--messages', '2000', '--days', '400');
    // The clock is frozen, so all requests are sent within one minute.
    const plan = '{"key_requests_per_minute": 100000, "account_requests_per_minute": 100000}';
    await home.sandbox('sandbox', 'accounts', 'update', '--plan', plan);
  });

  afterAll(() => home.remove());

  const show = async (verb: string, ...options: string[]) => {
    const { code, stderr, json } = await home.sandbox('analytics', verb, '-o', 'json', ...options);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    return json as unknown;
  };

  it('have the figures of one request', async () => {
    const days = ['--from', '2026-03-02', '--to', '2027-03-01'];
    const summary = (await show('summary', ...days)) as { totals: Record<string, number>; by_date: { date: string; sent: number }[] };
    const series = (await show('series', ...days, '--metrics', 'sent')) as {
      labels: string[];
      series: { total: number; metrics: { sent: number[] } }[];
    };
    expect(series.labels).toEqual(summary.by_date.map(({ date }) => date));
    expect(series.series[0]?.metrics.sent).toEqual(summary.by_date.map(({ sent }) => sent));
    expect(series.series[0]?.total).toBe(summary.totals.sent);
    const byMonth = (await show('series', ...days, '--metrics', 'sent', '--granularity', 'month')) as typeof series;
    expect(byMonth.labels).toHaveLength(13);
    expect(byMonth.series[0]?.total).toBe(summary.totals.sent);
    const outcomes = (await show('outcomes', ...days)) as {
      totals: { sessions: number };
      labels: string[];
      by_tag: { counts: number[]; total: number }[];
    };
    const costs = (await show('conversation-costs', ...days)) as {
      sessions: number;
      total_credits: number;
      summary: Record<string, { credits: number }>;
    };
    expect(outcomes.labels).toEqual(series.labels);
    expect(outcomes.totals.sessions).toBe(costs.sessions);
    for (const { counts, total } of outcomes.by_tag) expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total);
    expect(Object.values(costs.summary).reduce((sum, { credits }) => sum + credits, 0)).toBeCloseTo(costs.total_credits, 6);
  });

  it('list every ledger record once, newest first, with the totals of all days', async () => {
    const days = ['--from', '2025', '--to', '2027'];
    interface Ledger {
      records: { id: string; at: string; is_adjustment: boolean }[];
      totals: { records: number; credits_used: number };
      by_reason: Record<string, number>;
    }
    const all = (await show('credits', ...days, '--all')) as Ledger;
    const ids = all.records.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(all.records.filter((record) => !record.is_adjustment)).toHaveLength(all.totals.records);
    expect(all.records.map(({ at }) => at)).toEqual(
      all.records
        .map(({ at }) => at)
        .sort()
        .reverse(),
    );
    expect(Object.values(all.by_reason).reduce((sum, credits) => sum + credits, 0)).toBeCloseTo(all.totals.credits_used, 6);
    const some = (await show('credits', ...days, '--limit', '3')) as Ledger;
    expect(some.records.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect(some.totals).toEqual(all.totals);
  });

  it('page through the ledger as one request does, with a cursor that continues across windows', async () => {
    const days = ['--from', '2025', '--to', '2027'];
    const all = (await show('credits', ...days, '--all')) as Page;
    const first = (await show('credits', ...days)) as Page;
    expect(first.records).toHaveLength(50);
    expect(first).toMatchObject({ from: '2025-01-01', to: '2027-12-31', totals: all.totals });
    const found = [...first.records];
    let cursor = first.next_cursor;
    for (let pages = 0; cursor !== null && pages < 100; pages++) {
      const page = (await show('credits', ...days, '--limit', '400', '--cursor', cursor)) as Page;
      expect(page).toMatchObject({ from: '2025-01-01', to: '2027-12-31', truncated: false, costs_redacted: false });
      expect([page.totals, page.by_reason, page.by_reason_cost, page.by_campaign]).toEqual([null, null, null, null]);
      found.push(...page.records);
      cursor = page.next_cursor;
    }
    expect(found).toEqual(all.records);
    // A list that ends exactly at the limit is complete, although earlier days follow.
    expect(await show('credits', ...days, '--limit', `${all.records.length}`)).toMatchObject({ next_cursor: null });
    expect(all.next_cursor).toBeNull();
  });

  it('have every record of the ledger as CSV, TSV and NDJSON, unless --limit is given', async () => {
    for (const days of [
      ['--from', '2025', '--to', '2027'],
      ['--from', '60d'],
    ]) {
      const { records } = (await show('credits', ...days, '--all')) as Page;
      expect(records.length).toBeGreaterThan(50);
      const read = async (...options: string[]) => {
        const { stdout, stderr, code } = await home.sandbox('analytics', 'credits', ...days, ...options);
        expect(code).toBe(0);
        return { lines: stdout.trim().split(/\r?\n/), stderr };
      };
      for (const [format, headings] of [
        ['csv', 1],
        ['tsv', 1],
        ['ndjson', 0],
      ] as const)
        expect(await read('-o', format)).toMatchObject({ lines: { length: records.length + headings }, stderr: '' });
      const some = await read('-o', 'ndjson', '--limit', '3');
      expect(some.lines.map((line) => JSON.parse(line) as object)).toMatchObject(records.slice(0, 3));
      expect(some.stderr).toMatch(/^There are more rows: --all shows every row, --cursor \S+ continues from here\.$/m);
      const cursor = /--cursor (\S+) continues/.exec(some.stderr)?.[1] ?? '';
      const rest = await read('-o', 'ndjson', '--cursor', cursor);
      expect(rest.lines.map((line) => JSON.parse(line) as object)).toMatchObject(records.slice(3));
      const table = await read();
      expect([table.lines.length, table.stderr]).toEqual([51, expect.stringContaining('There are more rows')]);
      const yaml = await home.sandbox('analytics', 'credits', ...days, '-o', 'yaml');
      expect(yaml.stdout).toMatch(/^next_cursor: \S{10}/m);
      expect(yaml.stdout.match(/^ {2}- id:/gm)).toHaveLength(50);
    }
  });

  it.each([
    [['--from', '2025', '--to', '2027', '--cursor', 'x']],
    [['--from', '2020', '--to', '2021', '--cursor', '2026-12-31:2027-12-31:']],
    [['--cursor', '2026-12-31:2027-12-31:']],
    [['--from', '30d', '--cursor', 'x']],
  ])('refuse a cursor of another list: %j', async (options) => {
    const { code, stdout, stderr } = await home.sandbox('analytics', 'credits', ...options);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`--cursor '${options.at(-1)}' is not a next_cursor`)]);
  });

  it('are reduced to the number of series given by --series', async () => {
    const days = ['--from', '2026-03-02', '--to', '2027-03-01', '--group-by', 'campaign', '--metrics', 'sent'];
    interface Grouped {
      series: { key: object; total: number }[];
      other_bucket: { series_count: number; total: number } | null;
      truncated: boolean;
    }
    const all = (await show('series', ...days)) as Grouped;
    const one = (await show('series', ...days, '--series', '1')) as Grouped;
    expect(all).toMatchObject({ other_bucket: null, truncated: false });
    expect(all.series.length).toBeGreaterThan(2);
    expect(one.series).toEqual(all.series.slice(0, 1));
    expect(one.truncated).toBe(true);
    expect(one.other_bucket).toMatchObject({
      series_count: all.series.length - 1,
      total: all.series.slice(1).reduce((sum, { total }) => sum + total, 0),
    });
  });

  it('are compared for as many series as --series names, and the others together', async () => {
    const days = ['--from', '2026-03-02', '--to', '2026-08-31', '--metrics', 'sent', '--compare', 'previous'];
    const rows = async (...options: string[]) => {
      const { stdout } = await home.sandbox('analytics', 'series', ...days, ...options, '-o', 'ndjson');
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { campaign?: string; current: number; previous: number });
    };
    const [whole] = await rows();
    const grouped = await rows('--group-by', 'campaign', '--series', '1');
    expect([grouped.length, grouped.at(-1)?.campaign]).toEqual([2, '(other)']);
    expect(grouped.reduce((sum, { current }) => sum + current, 0)).toBe(whole?.current);
    expect(grouped.reduce((sum, { previous }) => sum + previous, 0)).toBe(whole?.previous);
    for (const series of ['0', '51', 'x']) expect((await home.sandbox('analytics', 'series', ...days, '--series', series)).code).toBe(2);
  });

  it('have their sum in a note beside a table, and nowhere else', async () => {
    const { json } = await home.sandbox('analytics', 'summary', '--from', '7d', '-o', 'json');
    const { totals } = json as { totals: { sent: number } };
    const { stdout, stderr } = await home.sandbox('analytics', 'summary', '--from', '7d');
    expect(stderr).toContain(`Total: sent ${totals.sent},`);
    expect(stdout).not.toContain('In all');
    for (const output of ['csv', 'json'])
      expect((await home.sandbox('analytics', 'summary', '--from', '7d', '-o', output)).stderr).toBe('');
    expect((await home.sandbox('analytics', 'credits', '--from', '7d')).stderr).toMatch(/Total: credits used [\d,.]+, /);
    expect((await home.sandbox('analytics', 'outcomes', '--from', '7d')).stderr).toMatch(/Total: conversations [\d,]+, /);
    expect((await home.sandbox('analytics', 'credits', '--from', '7d', '--query', 'totals')).stderr).not.toContain('In all');
  });

  it.each(['dashboard', 'insights'])('are the last 92 for %s, which says so in each format', async (verb) => {
    const read = (...options: string[]) => home.sandbox('analytics', verb, ...options);
    const long = ['--from', '2026'];
    const clamped = ['--from', '2026-10-01', '--to', '2026-12-31'];
    const note = 'The range has 365 days; the limit is 92. The figures are for 2026-10-01 to 2026-12-31.';
    for (const format of ['table', 'csv', 'tsv', 'ndjson', 'yaml']) {
      const { code, stdout, stderr } = await read(...long, '-o', format);
      expect([code, stderr, stdout]).toEqual([0, `${note}\n`, (await read(...clamped, '-o', format)).stdout]);
    }
    const { json, stderr } = await read(...long, '-o', 'json');
    expect(json).toEqual((await read(...clamped, '-o', 'json')).json);
    expect(JSON.parse(stderr)).toEqual({ event: 'clamped', message: note, from: '2026-10-01', to: '2026-12-31' });
    expect((await read(...long, '-o', 'json', '--quiet')).stderr).toBe('');
    expect((await read(...clamped)).stderr).toBe('');
  });

  it('can be compared with the previous period', async () => {
    const { json, code } = await home.sandbox('analytics', 'summary', '--from', 'last-month', '--compare', 'previous', '-o', 'json');
    expect(code).toBe(0);
    const { totals, previous } = json as { totals: { sent: number }; previous: { from: string; to: string; totals: { sent: number } } };
    expect(previous).toMatchObject({ from: '2027-01-01', to: '2027-01-31' });
    const { stdout } = await home.sandbox('analytics', 'summary', '--from', 'last-month', '--compare', 'previous', '-o', 'csv');
    expect(stdout).toContain(`sent,${totals.sent},${previous.totals.sent},${totals.sent - previous.totals.sent},`);
  });

  it.each([
    [['series', '--chart', '--pivot'], '--pivot cannot be used with --chart'],
    [['series', '--pivot', '--fields', 'date,sent'], '--pivot cannot be used with --fields: its columns are the series'],
    [['series', '--pivot', '-o', 'json'], '--pivot works with rows only'],
    [['series', '--chart', '-o', 'csv'], '--chart works only with a table'],
    [['summary', '--chart', '--query', 'totals'], '--chart works only with a table'],
    [['summary', '--compare', 'last-year'], "--compare 'last-year' must be previous"],
  ])('refuses incompatible options: %j', async (options, message) => {
    const { code, stderr, stdout } = await home.sandbox('analytics', ...options);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
  });

  it('show campaigns with the same name with their ids', async () => {
    const { json } = await home.sandbox('campaigns', 'list', '-o', 'json');
    const [first, second] = (json as { campaigns: { id: string; name: string }[] }).campaigns.slice(-2);
    await home.sandbox('campaigns', 'update', second?.id ?? '', '--name', first?.name ?? '');
    const { stdout } = await home.sandbox(
      'analytics',
      'series',
      '--group-by',
      'campaign',
      '--metrics',
      'sent',

      '--from',
      '30d',
      '--wide',
    );
    for (const campaign of [first, second]) expect(stdout).toContain(`${first?.name ?? ''} (${campaign?.id ?? ''})`);
    await home.sandbox('campaigns', 'update', second?.id ?? '', '--name', second?.name ?? '');
  });

  it('have account columns with several accounts', async () => {
    for (const name of ['Bella Roma', 'Cafe Nord']) await home.sandbox('accounts', 'create', name);
    const over = ['--from', '2027-02-28', '--sub-account', 'Cafe Nord,Bella Roma'];
    const series = await home.sandbox('analytics', 'series', '--metrics', 'sent', ...over, '-o', 'csv');
    expect(series.stdout.split('\r\n').map((line) => line.replace(/^acc_[^,]*/, ''))).toEqual([
      'sub_account_id,sub_account,date,sent',
      ...['Cafe Nord', 'Bella Roma'].flatMap((name) => [`,${name},2027-02-28,0`, `,${name},2027-03-01,0`]),
      '',
    ]);
    const compared = await home.sandbox('analytics', 'summary', '--compare', 'previous', ...over, '-o', 'csv');
    expect(compared.stdout).toMatch(/^sub_account_id,sub_account,figure,current,previous,change,change_percent\r\n/);
    await home.sandbox('sandbox', 'faults', 'add', '--reporting-database', 'down');
    const failed = await home.sandbox('analytics', 'summary', ...over, '-o', 'csv');
    expect([failed.code, failed.stdout]).toEqual([8, 'sub_account_id,sub_account\r\n']);
    await home.sandbox('sandbox', 'faults', 'clear');
    const { code, stderr, stdout } = await home.sandbox('analytics', 'series', '--pivot', ...over);
    expect(code).toBe(2);
    expect(stderr).toContain('analytics series --pivot acts on one account at a time');
    expect(stdout).toBe('');
  });

  it('show the chosen fields of rows in every format', async () => {
    const options = ['analytics', 'series', '--from', '2d', '--metrics', 'sent'];
    expect((await home.sandbox(...options, '--fields', 'sent', '-o', 'csv')).stdout).toMatch(/^sent\r\n\d+\r\n\d+\r\n$/);
    expect((await home.sandbox(...options, '--fields', 'date', '-o', 'json')).json).toEqual({
      rows: [{ date: '2027-02-28' }, { date: '2027-03-01' }],
    });
    expect((await home.sandbox(...options, '--fields', 'all', '-o', 'csv')).stdout).toMatch(/^date,sent\r\n/);
  });

  it.each(['summary', 'ai-cost', 'series', 'outcomes', 'conversation-costs'])(
    'have the same columns in CSV and NDJSON for %s',
    async (verb) => {
      const rows = async (output: string) => (await home.run('analytics', verb, '-o', output)).stdout.trim().split('\n');
      const [header = '', ...lines] = await rows('csv');
      const objects = (await rows('ndjson')).filter(Boolean).map((line) => JSON.parse(line) as object);
      expect(objects).toHaveLength(lines.length);
      for (const each of objects) expect(Object.keys(each).join()).toBe(header);
    },
  );

  it('have their days in a pivot of outcomes', async () => {
    const pivot = async (...options: string[]) =>
      (await home.sandbox('analytics', 'outcomes', '--from', '30d', '--pivot', '-o', 'csv', ...options)).stdout;
    expect(await pivot()).toMatch(/^date,.*\(none\).*(\r\n2027-\d\d-\d\d,.*){30}\r\n$/);
    expect(await pivot('--group-by', 'tag')).toMatch(/^[^,]+,.*\r\n\d+,.*\r\n$/);
  });

  it('refuse fields that the rows do not have', async () => {
    for (const [options, field] of [
      [['summary', '--compare', 'previous', '--fields', 'date,sent'], 'date, sent'],
      [['series', '--metrics', 'sent', '--fields', 'replied'], 'replied'],
    ] as const) {
      const { code, stderr, stdout } = await home.sandbox('analytics', ...options);
      expect([code, stderr, stdout]).toEqual([2, expect.stringContaining(`Unknown field: ${field}`), '']);
    }
  });

  it('are a row for each account for the dashboard of several accounts on a terminal', async () => {
    await home.sandbox('accounts', 'create', 'Cafe West');
    const { stdout } = await home.runOnTerminal(120, 'analytics', 'dashboard', '--sub-account', 'all', '--profile', 'sandbox');
    expect(stdout.match(/Cafe West/g)).toHaveLength(1);
    expect(stripVTControlCharacters(stdout)).toMatch(/│ ACCOUNT +│ SENT │/);
  });

  it('have names of their own for campaigns and tags whose name has another meaning', async () => {
    const { json } = await home.sandbox('campaigns', 'list', '-o', 'json');
    const [campaign] = json.campaigns as { id: string; name: string }[];
    const tag = (await home.sandbox('tags', 'list', '-o', 'json')).json.tags.find(({ name }: { name: string }) => name === 'VIP');
    await home.sandbox('campaigns', 'update', campaign?.id ?? '', '--name', '(none)');
    await home.sandbox('tags', 'update', tag.id as string, '--name', '(no tag)');
    const first = async (...options: string[]) => {
      const { stdout } = await home.sandbox('analytics', ...options, '--from', '30d', '--compare', 'previous', '--wide');
      return stdout.match(/^\(no(ne|\stag)\)( \([\w-]+\))?/gm)?.sort();
    };
    expect(await first('series', '--metrics', 'sent', '--group-by', 'campaign')).toEqual(['(none)', `(none) (${campaign?.id ?? ''})`]);
    expect(await first('outcomes')).toEqual(['(no tag)', `(no tag) (${tag.id as string})`]);
    await home.sandbox('campaigns', 'update', campaign?.id ?? '', '--name', campaign?.name ?? '');
    await home.sandbox('tags', 'update', tag.id as string, '--name', 'VIP');
  });

  it('are drawn as charts for the dashboard on a terminal', async () => {
    const { stdout, code } = await home.runOnTerminal(80, 'analytics', 'dashboard', '--profile', 'sandbox');
    expect(code).toBe(0);
    expect(stdout).toContain('Messages sent by hour');
    for (const line of stdout.split('\n')) expect(stringWidth(line.replaceAll(/\u001b\[\d+m/g, ''))).toBeLessThanOrEqual(80);
    expect((await home.runOnTerminal(80, 'analytics', 'dashboard', '--profile', 'sandbox', '--fields', 'block,sent')).stdout).not.toContain(
      'hour',
    );
  });

  it('show campaign names in a pivot as a table and campaign ids as CSV', async () => {
    const options = ['analytics', 'series', '--group-by', 'campaign', '--metrics', 'sent', '--pivot', '--from', '60d'];
    expect((await home.sandbox(...options)).stdout).toMatch(/^DATE .*(Spring menu|Catering|New arrivals)/m);
    expect((await home.sandbox(...options, '-o', 'csv')).stdout).toMatch(/^date,.*cmp_/);
  });

  it('have the names of campaigns and agents beside their ids in every format with rows', async () => {
    const names = async (noun: string) => {
      const { json } = await home.sandbox(noun, 'list', '-o', 'json');
      return new Map((json[noun] as { id: string; name: string }[]).map(({ id, name }) => [id, name]));
    };
    const [campaigns, agents] = [await names('campaigns'), await names('agents')];
    const rows = async (...options: string[]) => {
      const { stdout } = await home.sandbox('analytics', ...options, '-o', 'ndjson');
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, string | null>);
    };
    const nameIn = (of: ReadonlyMap<string, string>, id: string | null | undefined) => of.get(id ?? '') ?? null;
    for (const row of await rows('series', '--group-by', 'campaign,agent', '--metrics', 'sent', '--from', '60d')) {
      expect(Object.keys(row)).toEqual(['date', 'campaign', 'campaign_name', 'agent', 'agent_name', 'sent']);
      expect([row.campaign_name, row.agent_name]).toEqual([nameIn(campaigns, row.campaign), nameIn(agents, row.agent)]);
    }
    const compared = ['series', '--group-by', 'campaign', '--metrics', 'sent', '--from', '30d', '--compare', 'previous'];
    for (const row of await rows(...compared, '--series', '1'))
      expect(row.campaign_name).toBe(row.campaign === '(other)' ? '(other)' : nameIn(campaigns, row.campaign));
    for (const row of await rows('dashboard', '--from', '30d'))
      expect(row.campaign_name).toBe(row.block === 'topCampaigns' ? nameIn(campaigns, row.key) : null);
    const records = await rows('credits', '--from', '30d');
    expect(records.some((row) => row.campaign_name !== null) && records.some((row) => row.agent_name !== null)).toBe(true);
    for (const row of records)
      expect([row.campaign_name, row.agent_name]).toEqual([nameIn(campaigns, row.campaign_id), nameIn(agents, row.agent_id)]);
    const csv = (await home.sandbox('analytics', 'credits', '--from', '3d', '-o', 'csv')).stdout;
    expect(csv).toMatch(
      /^at,reason,credits,cost_usd,is_adjustment,transfer_account_id,transfer_account_name,campaign_id,campaign_name,agent_id,agent_name,message_id,id\r\n/,
    );
    expect((await home.sandbox('analytics', 'credits', '--from', '3d')).stdout).toMatch(
      /CHANGE +OTHER ACCOUNT +AGENT NAME +CAMPAIGN NAME +COST USD +IS ADJUSTMENT +MESSAGE ID/,
    );
    const chosen = await home.sandbox(
      'analytics',
      'series',
      '--group-by',
      'campaign',
      '--from',
      '60d',
      '--fields',
      'campaign,campaign_name',
    );
    expect(chosen.stdout).toMatch(/^cmp_\S+ +\w+/m);
    const { json } = await home.sandbox('analytics', 'credits', '--from', '30d', '-o', 'json');
    expect(json.records[0]).not.toHaveProperty('campaign_name');
  });

  it('say in a note when series are added up', async () => {
    const read = async (...options: string[]) =>
      (await home.sandbox('analytics', 'series', '--group-by', 'campaign', '--from', '30d', ...options)).stderr;
    const note = 'The smallest series are added up as (other). --series shows up to 50 series.';
    for (const options of [['-o', 'csv'], ['-o', 'ndjson'], [], ['-o', 'csv', '--compare', 'previous'], ['-o', 'csv', '--pivot']])
      expect(await read('--series', '1', ...options)).toContain(note);
    expect(await read('-o', 'csv')).toBe('');
    expect(await read('--series', '1', '-o', 'json')).toBe('');
  });

  it.each([
    ['ai-cost', '--campaign'],
    ['ai-cost', '--agent'],
    ['conversation-costs', '--campaign'],
    ['conversation-costs', '--agent'],
    ['insights', '--campaign'],
    ['insights', '--agent'],
  ])('are of the whole account for %s, which has no %s', async (verb, option) => {
    const { code, stdout, stderr } = await home.sandbox('analytics', verb, option, 'x');
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`Unknown option '${option}'`)]);
  });
});

describe('the report', () => {
  let home: Home;

  beforeAll(async () => {
    home = new Home();
    await home.sandbox('sandbox', 'clock', 'freeze', '2027-03-01T12:00:00Z');
    await home.sandbox('sandbox', 'demo', '--messages', '600', '--days', '10');
    await home.sandbox('campaigns', 'create', `<script>alert('x')</script> & "co"`);
    await home.sandbox('campaigns', 'create', 'evil \u202ertl\u001b[2J');
  });

  afterAll(() => home.remove());

  const report = async () => {
    const file = join(home.path, 'report.html');
    const { code, stderr } = await home.sandbox('analytics', 'report', '--from', '7d', '--html', file, '--yes');
    expect([code, stderr]).toEqual([0, '']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    return readFileSync(file, 'utf8');
  };

  it('is one self-contained page with the figures of the period', async () => {
    const page = await report();
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page).toContain('2027-02-23 to 2027-03-01 (so far), in UTC');
    expect(page).not.toMatch(/<script|<link|<img|src=|href=|url\(|NaN|undefined/);
    const { json } = await home.sandbox('analytics', 'summary', '--from', '7d', '-o', 'json');
    expect(page).toContain(`<dt>Sent</dt><dd>${(json as { totals: { sent: number } }).totals.sent}</dd>`);
  });

  it('has a title, a description and a table for each chart', async () => {
    const page = await report();
    // A longer heading would be wider than its column when the page is printed.
    expect(page).not.toMatch(/<table class="days">(?!<thead><tr><th scope="col">Date<\/th><th scope="col">Figure<)/);
    const charts = page.match(/<figure /g)?.length ?? 0;
    expect(charts).toBeGreaterThan(6);
    for (const part of [/<svg [^>]*role="img" aria-labelledby="[^"]+" aria-describedby="[^"]+"/g, /<figcaption>/g])
      expect(page.match(part)).toHaveLength(charts);
    // The table behind each chart, and the latest conversations.
    expect(page.match(/<table[ >]/g)).toHaveLength(charts + 1);
    for (const block of ['New contacts', 'Replies by hour', 'Messages received, sms', 'Messages sent by number', 'Latest conversations'])
      expect(page).toContain(`>${block}</h2>`);
    expect(page).toMatch(/<td><bdi>[^<]+<\/bdi><\/td>/);
    for (const id of page.matchAll(/aria-(?:labelledby|describedby)="([^"]+)"/g)) expect(page).toContain(` id="${id[1] ?? ''}"`);
    // Charts are stretched to the width of the window, so they contain no text, which would be unreadable on a phone.
    expect(page).toContain('preserveAspectRatio="none"');
    expect(page).not.toMatch(/<svg[^>]* viewBox=(?:(?!<\/svg>).)*<text/);
  });

  it('shows the name of the campaign as escaped text', async () => {
    const file = join(home.path, 'campaign.html');
    const { code } = await home.sandbox('analytics', 'report', '--campaign', `<script>alert('x')</script> & "co"`, '--html', file);
    expect(code).toBe(0);
    const page = readFileSync(file, 'utf8');
    expect(page).toContain('&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;co&quot;');
    expect(page).not.toContain('<script');
    // Contacts belong to no campaign.
    expect(page).not.toContain('New contacts');
  });

  it('keeps control characters and the direction of a name out of the text around it', async () => {
    const file = join(home.path, 'direction.html');
    const { json } = await home.sandbox('campaigns', 'list', '-o', 'json');
    const { campaigns } = json as { campaigns: { id: string; name: string }[] };
    const id = campaigns.find(({ name }) => name.startsWith('evil'))?.id ?? '';
    expect((await home.sandbox('analytics', 'report', '--campaign', id, '--html', file)).code).toBe(0);
    const page = readFileSync(file, 'utf8');
    expect(page).toContain('\u2068evil  rtl [2J\u2069');
    expect(page).not.toMatch(/[\u001b\u202e]/);
  });

  it('refuses days in the wrong order by the names of its options', async () => {
    const range = ['--from', '2027-03-01', '--to', '2026-03-01'];
    const { code, stderr } = await home.sandbox('analytics', 'report', ...range, '--html', join(home.path, 'reversed.html'));
    expect([code, stderr]).toEqual([2, expect.stringContaining("--from '2027-03-01' must not be after 2026-03-01")]);
  });

  it('does not overwrite an existing file, and leaves no file when it fails', async () => {
    const file = join(home.path, 'kept.html');
    writeFileSync(file, 'precious');
    const kept = await home.sandbox('analytics', 'report', '--html', file);
    expect([kept.code, readFileSync(file, 'utf8')]).toEqual([2, 'precious']);
    const missing = join(home.path, 'missing.html');
    expect((await home.sandbox('analytics', 'report', '--html', missing, '--agent', 'Nobody')).code).toBe(5);
    expect((await home.sandbox('analytics', 'report', '--html', missing, '--from', '2026')).code).toBe(2);
    expect(readdirSync(home.path).filter((name) => name.startsWith('missing'))).toEqual([]);
  });
});

it('activity finds a contact or a task by number, name or title', async () => {
  const home = new Home();
  try {
    await home.sandbox('contacts', 'create', '+14155550123', '--first-name', 'Ada');
    await home.sandbox('tasks', 'create', 'Call back', '--contact', '+14155550123');
    const activity = async (...named: string[]) => await home.sandbox('analytics', 'activity', ...named, '-o', 'json');
    const ofContact = await activity('contact', '+14155550123');
    expect(ofContact.json.items).toMatchObject([{ kind: 'task' }]);
    expect((await activity('contact', 'Ada')).json).toEqual(ofContact.json);
    expect((await activity('task', 'Call back')).json.items).toMatchObject([{ kind: 'task' }]);
    expect((await activity('deal', 'dea_1')).stderr).toContain('Deal not found');
    const { code, stderr } = await activity('contact', 'No Body');
    expect([code, stderr]).toEqual([5, expect.stringContaining("There is no contact 'No Body'")]);
  } finally {
    home.remove();
  }
});

it('days are counted from the clock of the service', async () => {
  const home = new Home();
  await home.sandbox('sandbox', 'clock', 'freeze', '2027-03-01T12:00:00Z');
  await home.sandbox('sandbox', 'clock', 'advance', '60d');
  const { json } = await home.sandbox('analytics', 'summary', '--from', 'yesterday', '-o', 'json');
  expect(json).toMatchObject({ from: '2027-04-29', to: '2027-04-29' });
  home.remove();
});
