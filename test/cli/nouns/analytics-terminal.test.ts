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

  it('of campaigns have names', async ({ home }) => {
    const { stdout } = await home.runOnTerminal(80, 'analytics', 'series', '--metrics', 'sent', '--group-by', 'campaign', '--from', '3d');
    expect(stdout).toContain('Spring menu');
    expect(stdout).not.toMatch(/cmp_|cam_/);
  });
});

it('the demonstration leaves the lists of the user alone', async ({ home }) => {
  const { json } = await home.run('lists', 'list', '--where', 'name=Spring campaign', '-o', 'json');
  expect(json.lists).toMatchObject([{ name: 'Spring campaign', contact_count: 0 }]);
});
