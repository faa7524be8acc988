import { describe, expect } from 'vitest';
import { it as base } from '../../support/shared-home-test.ts';

const it = base.extend('env', { scope: 'file' }, { MSGCTL_PROFILE: 'sandbox', TZ: 'UTC', NO_COLOR: '1' });

it.beforeAll(async ({ home }) => {
  await home.run('lists', 'create', 'Spring campaign');
  await home.run('sandbox', 'demo', '--messages', '300', '--days', '5');
});

describe('figures on a terminal', () => {
  it('of a summary are not added across kinds', async ({ home }) => {
    const argv = ['analytics', 'summary', '--from', '3d'];
    expect((await home.runOnTerminal(120, ...argv)).stdout.split('\n')[1]).toMatch(/^│ DATE +│ SENT +│ DELIVERED /);
    expect((await home.run(...argv, '-o', 'csv')).stdout).toMatch(/^date,total,sent,/);
  });

  it('of several dashboards are a row for each account', async ({ home }) => {
    const argv = ['analytics', 'dashboard', '--from', '3d', '--sub-account', 'own,own'];
    const { stdout } = await home.runOnTerminal(80, ...argv);
    expect(stdout).toMatch(/│ ACCOUNT │ SENT │/);
    expect(stdout.match(/│ own /g)).toHaveLength(1);
    expect(stdout).not.toMatch(/BLOCK|metricDailyBreakdown/);
    expect((await home.run(...argv, '-o', 'csv')).stdout).toContain('metricDailyBreakdown');
  });

  it('of an account that did nothing are no win', async ({ home }) => {
    await home.run('accounts', 'create', 'Empty');
    const argv = ['analytics', 'insights', '--sub-account', 'Empty'];
    const { stdout } = await home.runOnTerminal(80, ...argv);
    expect([stdout.includes('│ tip '), stdout.includes('│ win ')]).toEqual([true, false]);
    expect((await home.runOnTerminal(80, 'analytics', 'insights')).stdout).toContain('│ win ');
    const { insights } = (await home.run(...argv, '-o', 'json')).json.data as { insights: { tone: string }[] };
    expect(insights.map(({ tone }) => tone)).toEqual(['win', 'watch', 'tip']);
  });

  it('of campaigns have names', async ({ home }) => {
    const { stdout } = await home.runOnTerminal(80, 'analytics', 'series', '--metrics', 'sent', '--group-by', 'campaign', '--from', '5d');
    const { campaigns } = (await home.run('campaigns', 'list', '-o', 'json')).json as { campaigns: { name: string }[] };
    const names = new Set(campaigns.map(({ name }) => name));
    const shown = new Set(stdout.match(/(?<=│ \d{4}-\d\d-\d\d │ )\S.*?(?= +│)/g));
    expect(shown.has('(none)') && shown.delete('(none)')).toBe(true);
    // Which of them did anything in these days depends on today.
    expect(shown.size).toBeGreaterThan(0);
    expect([...shown.difference(names)]).toEqual([]);
  });
});

it('the demonstration leaves the lists of the user alone', async ({ home }) => {
  const { json } = await home.run('lists', 'list', '--where', 'name=Spring campaign', '-o', 'json');
  expect(json.lists).toMatchObject([{ name: 'Spring campaign', contact_count: 0 }]);
});

it('the ledger shows in tables what comes in with a plus, what is spent with a minus, and with whom credits were moved', async ({
  home,
}) => {
  await home.run('accounts', 'create', 'Bakery');
  await home.run('accounts', 'transfer', 'Bakery', '--amount', '100');
  await home.run('accounts', 'transfer', 'Bakery', '--amount', '-20.5');
  const linesOf = (text: string) =>
    text.split('\n').flatMap((line) => / (transfer_\w+)[ │]+(\S+)[ │]+(.*?)(?: {2,}| │)/.exec(line)?.slice(1).join(' ') ?? []);
  const agency = await home.runOnTerminal(80, 'analytics', 'credits', '--limit', '2');
  expect(linesOf(agency.stdout)).toEqual(['transfer_in +20.5 Bakery', 'transfer_out -100 Bakery']);
  const client = ['analytics', 'credits', '--sub-account', 'Bakery'];
  const ofClient = await home.runOnTerminal(80, ...client);
  expect(linesOf(ofClient.stdout)).toEqual(['transfer_out -20.5 Sandbox Agency', 'transfer_in +100 Sandbox Agency']);
  expect(ofClient.stderr).toContain('Nothing was spent: transfers, recharges and other adjustments do not count.\n');
  expect((await home.run(...client)).stdout).toMatch(/transfer_out +-20\.5 +Sandbox Agency/);
  // The signs of the interface, and the ids and names.
  expect((await home.run(...client, '--fields', 'credits,transfer_account_name', '-o', 'csv')).stdout).toBe(
    'credits,transfer_account_name\r\n20.5,Sandbox Agency\r\n-100,Sandbox Agency\r\n',
  );
  const found = await home.run(
    'analytics',
    'credits',
    '--where',
    'transfer_account_name=Bakery',
    '--where',
    'balance_change<0',
    '-o',
    'json',
  );
  expect(found.json.records).toMatchObject([{ credits: 100, reason: 'transfer_out' }]);
  expect((await home.run('help', 'analytics')).stdout).toMatch(/positive where\s+credits\s+are\s+spent/);
  // A client does not see its agency's name.
  const { api_key: key } = (await home.run('sandbox', 'main-key', 'Bakery', '-o', 'json')).json as { api_key: string };
  home.env = { ...home.env, MSGCTL_API_KEY: key };
  const own = await home.runOnTerminal(80, 'analytics', 'credits');
  expect(own.stdout).toMatch(/transfer_out │ +-20\.5 │ acc_/);
  expect(own.stderr).toContain('The accounts are shown by id: this key may not read the names.');
});
