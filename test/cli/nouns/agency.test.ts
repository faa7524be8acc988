import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox', NO_COLOR: '1' });

/** Makes sub-accounts with credits and a channel, which send some messages. */
async function clients(home: Home, sent: Readonly<Record<string, number>>): Promise<void> {
  for (const [name, count] of Object.entries(sent)) {
    await home.run('accounts', 'create', name);
    await home.run('accounts', 'transfer', name, '--amount', '20');
    await home.run('sandbox', 'channels', 'add', 'chatapp', '+14155550100', name);
    for (let message = 0; message < count; message++)
      expect((await home.run('contacts', 'send', `+1415555010${message}`, 'Hi', '--sub-account', name)).code).toBe(0);
  }
}

describe('agency usage', () => {
  it('shows what each client used and what it costs, with the sums in a note', async ({ home }) => {
    await clients(home, { Bakery: 3, "=cmd|' /C calc'!A0": 0 });
    expect((await home.run('agency', 'price', '$12.50', '-o', 'json')).json).toMatchObject({ credit_price: { usd_per_1000: 12.5 } });
    const { stdout, stderr } = await home.runOnTerminal(120, 'agency', 'usage', '--from', '7d');
    expect(stdout).toMatch(/│ Bakery +│ +3 │ +0\.04 │ +3 │/);
    expect(stderr).toMatch(
      /From \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d, all sub-accounts together: 3 credits for \$0\.04, 3 messages, 3\s+conversations\./,
    );
    const { stdout: csv } = await home.run('agency', 'usage', '--from', 'today', '-o', 'csv', '--fields', 'name,credits_spent,price_usd');
    expect(csv).toBe(`name,credits_spent,price_usd\r\n'=cmd|' /C calc'!A0,0,0\r\nBakery,3,0.04\r\n`);
    const { json } = await home.run('agency', 'usage', '--limit', '1', '-o', 'json');
    expect(json).toMatchObject({ accounts: [{ credits_spent: 0 }], totals: { credits_spent: 3, price_usd: 0.04 } });
    expect(json.next_cursor).toEqual(expect.any(String));
    const all = (await home.run('agency', 'usage', '--all', '-o', 'json')).json;
    expect([all.accounts.length, all.totals.messages_sent]).toEqual([2, 3]);
  });

  it('takes days as people write them', async ({ home }) => {
    const { json } = await home.run('agency', 'usage', '--from', '2026-08', '-o', 'json');
    expect(json).toMatchObject({ from: '2026-08-01', to: '2026-08-31' });
    const { code, stderr } = await home.run('agency', 'usage', '--from', 'recently');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--from')]);
  });

  it('shows and clears the price', async ({ home }) => {
    expect((await home.run('agency', 'price', '-o', 'json')).json).toEqual({ credit_price: { usd_per_1000: null } });
    await home.run('agency', 'price', '5');
    expect((await home.run('agency', 'price', '-o', 'json')).json.credit_price.usd_per_1000).toBe(5);
    await home.run('agency', 'price', 'none');
    expect((await home.run('agency', 'price', '-o', 'json')).json.credit_price.usd_per_1000).toBeNull();
    const { code, stderr } = await home.run('agency', 'price', 'much');
    expect([code, stderr]).toEqual([2, expect.stringContaining("'much' is not a price: give US dollars, such as 12.50, or none")]);
  });
});

describe('branding update', () => {
  it('changes a part of the storefront, and keeps the rest', async ({ home }) => {
    const update = async (...argv: string[]) => await home.run('branding', 'update', ...argv, '-o', 'json');
    const { json } = await update('--brand-name', 'Brot', '--slug', 'brot', '--packages', 'Small=500:9.99,Large=5000:$79', '--enabled');
    expect(json.white_label).toMatchObject({ brand_name: 'Brot', storefront_url: expect.stringMatching(/\/s\/brot$/) as string });
    const packages = [
      { name: 'Small', credits: 500, price_usd: 9.99 },
      { name: 'Large', credits: 5_000, price_usd: 79 },
    ];
    expect((await update('--no-enabled')).json.white_label.storefront).toEqual({ enabled: false, slug: 'brot', headline: null, packages });
    expect((await update('--colour', '#2563eb')).json.white_label).toMatchObject({ colour: '#2563eb', storefront: { packages } });
    const input = join(home.path, 'in.json');
    writeFileSync(input, JSON.stringify({ storefront: { enabled: false, slug: 'new', headline: 'New', packages: [] } }));
    expect((await update('--input', input, '--enabled')).json.white_label.storefront).toEqual({
      enabled: true,
      slug: 'new',
      headline: 'New',
      packages: [],
    });
    expect((await update('--slug', '')).stderr).toContain('--enabled needs --slug');
    const { code, stderr } = await update('--packages', 'Small');
    expect([code, stderr]).toEqual([2, expect.stringContaining('must be packages as NAME=CREDITS:USD')]);
  });
});
