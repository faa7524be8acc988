import { describe, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox', TZ: 'UTC', NO_COLOR: '1' });

/** Freezes the clock of the store at the beginning of a month of 30 days, or some days later. */
const setClock = async (home: Home, now = '2099-04-01T00:00:00Z') =>
  expect((await home.run('sandbox', 'clock', 'freeze', now)).code).toBe(0);

const show = async (home: Home) => (await home.run('billing', 'show', '-o', 'json')).json.subscription;

describe('billing change', () => {
  it('says what it costs now, which credits it adds and what follows, and wants a yes', async ({ home }) => {
    await setClock(home);
    const asked = await home.run('billing', 'change', 'starter');
    expect([asked.code, asked.stderr]).toEqual([
      2,
      expect.stringContaining(
        'Change the plan to Starter now? It costs $29.00 and adds 1,000 credits now, then $29.00 and 1,000 credits a month',
      ),
    ]);
    expect(await show(home)).toMatchObject({ plan_id: 'sandbox' });
    const { code, json } = await home.run('billing', 'change', 'Starter', '--yes', '-o', 'json');
    expect([code, json]).toMatchObject([0, { credits_now: 1_000, price_now_usd: 29, subscription: { plan_id: 'starter' } }]);
    await setClock(home, '2099-04-16T00:00:00Z');
    expect((await home.run('billing', 'change', 'growth')).stderr).toContain('It costs $35.00 and adds 2,000 credits now, then $99.00');
  });

  it('says when a cheaper plan begins, and how to take it back', async ({ home }) => {
    await setClock(home);
    await home.run('billing', 'change', 'growth', '--yes');
    const asked = await home.run('billing', 'change', 'starter');
    expect(asked.stderr).toContain(
      'Change the plan to Starter on 2099-05-01 00:00? Until then growth stays, and nothing is paid or added now',
    );
    expect(asked.stderr).toContain('msgctl billing change growth');
    expect((await home.run('billing', 'change', 'starter', '--yes')).code).toBe(0);
    expect(await show(home)).toMatchObject({ plan_id: 'growth', status: 'changing', pending_plan_id: 'starter' });
    expect((await home.run('billing', 'change', 'growth')).stderr).toContain('Keep the plan Growth, without the change to starter?');
    expect((await home.run('billing', 'change', 'growth', '--yes')).code).toBe(0);
    // Nothing would change, so nothing is asked.
    expect((await home.run('billing', 'change', 'growth')).code).toBe(0);
    expect(await show(home)).toMatchObject({ status: 'active' });
  });

  it('with --preview changes and asks nothing', async ({ home }) => {
    const { code, json } = await home.run('billing', 'change', 'scale', '--preview', '-o', 'json');
    expect((await home.run('billing', 'change', 'scale', '--preview')).stderr).toMatch(/^Nothing was changed/);
    expect([code, json]).toMatchObject([0, { credits_now: 20_000, price_now_usd: 299, subscription: { plan_id: 'scale' } }]);
    expect(await show(home)).toMatchObject({ plan_id: 'sandbox' });
    const dry = await home.run('billing', 'change', 'scale', '--dry-run', '-o', 'json');
    expect([dry.code, dry.json]).toMatchObject([0, { method: 'POST', body: { plan_id: 'scale' } }]);
    expect(await show(home)).toMatchObject({ plan_id: 'sandbox' });
  });

  it('names the agents that are too many, and plans that are not there', async ({ home }) => {
    for (const name of ['Ada', 'Ben', 'Cy', 'Di']) await home.run('agents', 'create', name);
    const blocked = await home.run('billing', 'change', 'starter', '--yes');
    expect([blocked.code, blocked.stderr]).toEqual([6, expect.stringContaining('The account has 4 agents; Starter allows 3')]);
    const unknown = await home.run('billing', 'change', 'growht', '--yes');
    expect([unknown.code, unknown.stderr]).toEqual([5, expect.stringContaining("Did you mean 'Growth'?")]);
  });

  it('plans are listed for people, the cheapest first', async ({ home }) => {
    const { stdout } = await home.runOnTerminal(80, 'billing', 'plans');
    expect(
      stdout
        .split('\n')
        .filter((line) => line.startsWith('│'))
        .map((line) => line.split('│')[1]?.trim()),
    ).toEqual(['NAME', 'Sandbox', 'Starter', 'Growth', 'Scale']);
  });
});
