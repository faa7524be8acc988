import { describe, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox', NO_COLOR: '1' });

const run = async (home: Home, ...words: readonly string[]) => {
  const result = await home.run(...words);
  expect(result.code, `${words.join(' ')}: ${result.stderr}`).toBe(0);
  return result;
};

describe('deals', () => {
  it('are shown with the names of stage, pipeline and contact', async ({ home }) => {
    await run(home, 'contacts', 'create', '+14155550123', '--first-name', 'Ada');
    await run(home, 'deals', 'create', 'New kitchen', '--value', '12500.5', '--currency', 'EUR', '--contact', '+14155550123');
    await run(home, 'deals', 'update', 'New kitchen', '--stage', 'proposal');
    const { stdout } = await home.runOnTerminal(
      80,
      'deals',
      'list',
      '--contact',
      'Ada',
      '--fields',
      'title,value,currency,stage,status,contact',
    );
    expect(stdout).toMatchInlineSnapshot(`
      "┌─────────────┬─────────┬──────────┬──────────┬────────┬─────────┐
      │ TITLE       │   VALUE │ CURRENCY │ STAGE    │ STATUS │ CONTACT │
      ├─────────────┼─────────┼──────────┼──────────┼────────┼─────────┤
      │ New kitchen │ 12500.5 │ EUR      │ Proposal │ ● open │ Ada     │
      └─────────────┴─────────┴──────────┴──────────┴────────┴─────────┘
      "
    `);
    const csv = await run(home, 'deals', 'list', '--fields', 'title,value,currency,stage,pipeline,contact', '-o', 'csv');
    expect(csv.stdout).toMatchInlineSnapshot(`
      "title,value,currency,stage,pipeline,contact
      New kitchen,12500.5,EUR,Proposal,Sales,Ada
      "
    `);
  });

  it('are moved to a stage by its name, which must be clear', async ({ home }) => {
    await run(home, 'deals', 'create', 'Repair');
    await run(home, 'pipelines', 'create', 'Other', '--stage', 'New', '--stage', 'Done:won');
    const moved = await run(home, 'deals', 'update', 'Repair', '--stage', 'Other/new', '-o', 'json');
    expect(moved.json.deal.status).toBe('open');
    const unclear = await home.run('deals', 'update', 'Repair', '--stage', 'New');
    expect([unclear.code, unclear.stderr]).toEqual([2, expect.stringContaining("Say which one: 'Other/New' or 'Sales/New'")]);
    const unknown = await home.run('deals', 'list', '--stage', 'Nowhere');
    expect([unknown.code, unknown.stderr]).toEqual([5, expect.stringContaining("There is no stage 'Nowhere'")]);
  });
});

describe('pipelines', () => {
  it('keep the stages of the same names', async ({ home }) => {
    await run(home, 'pipelines', 'create', 'Sales', '--stage', 'New', '--stage', 'Won:won');
    await run(home, 'deals', 'create', 'Repair');
    const before = (await run(home, 'pipelines', 'get', 'Sales', '-o', 'json')).json.pipeline.stages;
    const after = (
      await run(home, 'pipelines', 'update', 'Sales', '--stage', 'Won', '--stage', 'new', '--stage', 'Lost:lost', '-o', 'json')
    ).json;
    expect(after.pipeline.stages).toEqual([
      before[1],
      { ...before[0], name: 'new' },
      { id: expect.stringMatching(/^stg_/), name: 'Lost', kind: 'lost', deal_count: 0 },
    ]);
    const removed = await home.run('pipelines', 'update', 'Sales', '--stage', 'Won', '--stage', 'new');
    expect([removed.code, removed.stderr]).toEqual([0, 'Stages that are not given are removed: Lost.\n']);
    const blocked = await home.run('pipelines', 'update', 'Sales', '--stage', 'Won');
    expect([blocked.code, blocked.stderr]).toEqual([
      6,
      expect.stringContaining("Stages with deals cannot be removed: 'new'. Move their deals first"),
    ]);
    expect(blocked.stderr).toContain('msgctl deals list --stage STAGE');
    expect((await home.run('pipelines', 'delete', 'Sales', '--yes')).code).toBe(6);
  });
});

describe('notes', () => {
  it('are on the record that an option names', async ({ home }) => {
    await run(home, 'deals', 'create', 'Repair');
    await run(home, 'notes', 'create', 'Paid in cash', '--deal', 'Repair');
    const { stdout } = await run(home, 'notes', 'list', '--deal', 'Repair', '--fields', 'text', '-o', 'csv');
    expect(stdout).toBe('text\r\nPaid in cash\r\n');
    for (const words of [[], ['--deal', 'Repair', '--task', 'x']]) {
      const { code, stderr } = await home.run('notes', 'list', ...words);
      expect([code, stderr]).toEqual([2, expect.stringContaining('give one of --contact, --deal and --task')]);
    }
  });
});
