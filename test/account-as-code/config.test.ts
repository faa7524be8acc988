import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountFolder } from '../support/account-folder.ts';
import type { Proxy } from '../support/proxy.ts';
import { useProxiedAccount } from '../support/proxied-account.ts';
import type { RemoteAccount } from '../support/remote-account.ts';
import { Home } from '../support/terminal-world.ts';

// Proves rule account-as-code.38.
describe('config', () => {
  let home: Home;

  beforeEach(() => {
    home = new Home();
  });

  afterEach(() => home.remove());

  const { dir, file, read, diff, apply } = accountFolder(() => home);

  const shown = async (...more: string[]) => (await home.sandbox('config', 'show', '-o', 'json', ...more)).json.account_config;

  const dump = async (...more: string[]) => expect(await home.sandbox('dump', dir(), ...more)).toMatchObject({ code: 0 });

  it('is dumped as a map, without the fields of billing, once a field differs from those of a new account', async () => {
    await home.sandbox('config', 'set', 'auto_recharge_credits=500', 'low_credit_threshold=10');
    await dump();
    expect(() => read('config.yaml')).toThrow('ENOENT');
    await home.sandbox('config', 'set', 'default_country=DE', 'quiet_hours=22:00-07:00');
    await dump();
    expect(read('config.yaml')).toBe(
      '# yaml-language-server: $schema=account.schema.json\n\n' +
        'config:\n  timezone: UTC\n  default_country: DE\n  session_hours: 24\n' +
        '  quiet_hours:\n    start_time: "22:00"\n    end_time: "07:00"\n',
    );
    expect((await diff()).code).toBe(0);
  });

  it('is planned, applied before all others, and undone', async () => {
    await home.sandbox('config', 'set', 'session_hours=12', 'low_credit_threshold=10');
    file(
      'all.yaml',
      'events: [{ name: Visit }]\nconfig: { timezone: Europe/Berlin, session_hours: 48, business_name: Nord }\ntags: [{ name: VIP }]\n',
    );
    const planned = await diff('-o', 'json');
    expect(planned.code).toBe(3);
    expect(planned.json.changes[0]).toMatchObject({
      number: 1,
      kind: 'config',
      key: 'config',
      action: 'update',
      before: { timezone: 'UTC', session_hours: 12, business_name: null },
      after: { timezone: 'Europe/Berlin', session_hours: 48, business_name: 'Nord' },
      undo: 'exact',
    });
    expect((await diff()).stdout).toContain(
      '~ account config\n    business_name: (none) → Nord\n    timezone: UTC → Europe/Berlin\n    session_hours: 12 → 48\n+ tag VIP\n',
    );
    expect(await apply()).toMatchObject({ code: 0 });
    expect(await shown()).toMatchObject({ timezone: 'Europe/Berlin', session_hours: 48, low_credit_threshold: 10 });
    // The new event type took the new time zone.
    expect((await home.sandbox('events', 'list', '-o', 'json')).json.events[0].timezone).toBe('Europe/Berlin');
    expect((await diff()).code).toBe(0);
    expect((await home.sandbox('undo', '--yes')).code).toBe(0);
    expect(await shown()).toMatchObject({ timezone: 'UTC', session_hours: 12, business_name: null, low_credit_threshold: 10 });
  });

  it('shows what somebody changed, leaves fields alone that the files omit, and clears those that are null', async () => {
    file('config.yaml', '# Ours.\nconfig:\n  language: de # for new agents\n  default_country: null\n');
    await home.sandbox('config', 'set', 'language=fr', 'default_country=FR', 'session_hours=12');
    const drift = await diff('-o', 'json');
    expect(drift.code).toBe(3);
    expect(drift.json.changes).toMatchObject([{ before: { language: 'fr', default_country: 'FR' }, after: { language: 'de' } }]);
    expect(await apply('--rehearse')).toMatchObject({ code: 0 });
    expect(await shown()).toMatchObject({ language: 'de', default_country: null, session_hours: 12 });
    await home.sandbox('config', 'set', 'language=it', 'session_hours=24');
    await dump();
    expect(read('config.yaml')).toBe(
      '# Ours.\nconfig:\n  language: it # for new agents\n  default_country: null\n  timezone: UTC\n  session_hours: 24\n',
    );
    // A file that has it keeps it, though all is as in a new account.
    await home.sandbox('config', 'set', 'language=');
    await dump();
    expect(read('config.yaml')).toContain('timezone: UTC');
  });

  it('is merged over that of a base, and dumped as the difference from it', async () => {
    file('../base/config.yaml', 'config: { timezone: Europe/Berlin, session_hours: 48, language: de }\n');
    file('account.yaml', 'base: [../base]\n');
    file('config.yaml', 'config: { session_hours: 12 }\n');
    expect(await apply()).toMatchObject({ code: 0 });
    expect(await shown()).toMatchObject({ timezone: 'Europe/Berlin', session_hours: 12, language: 'de' });
    await home.sandbox('config', 'set', 'timezone=UTC', 'language=');
    await dump();
    expect(read('config.yaml')).toBe('config: { session_hours: 12, timezone: UTC, language: null }\n');
    expect((await diff()).code).toBe(0);
  });

  it('is one folder an account with several accounts', async () => {
    for (const name of ['Nord', 'Süd']) await home.sandbox('accounts', 'create', name);
    await home.sandbox('config', 'set', 'business_name=Nord', '--sub-account', 'Nord');
    await dump('--sub-account', 'all');
    expect(read('nord/config.yaml')).toContain('business_name: Nord');
    file('süd/config.yaml', 'config: { business_name: Süd }\n');
    expect((await apply('--sub-account', 'all')).code).toBe(0);
    expect(await Promise.all(['Nord', 'Süd'].map(async (name) => (await shown('--sub-account', name)).business_name))).toEqual([
      'Nord',
      'Süd',
    ]);
    expect((await home.sandbox('undo', '--sub-account', 'all', '--yes')).code).toBe(0);
    expect((await shown('--sub-account', 'Süd')).business_name).toBeNull();
  });

  it('is neither pruned nor created or deleted by an edited plan', async () => {
    await home.sandbox('config', 'set', 'session_hours=12');
    file('config.yaml', 'config: { session_hours: 48 }\n');
    file('account.yaml', 'prune: [config]\n');
    expect((await diff()).stdout).toContain('config is never pruned.');
    expect((await diff('--out', join(home.path, 'plan.json'))).code).toBe(3);
    const plan = JSON.parse(readFileSync(join(home.path, 'plan.json'), 'utf8')) as { changes: Record<string, unknown>[] };
    for (const change of [
      { action: 'delete', after: null },
      { action: 'create', before: null, id: null },
    ]) {
      file('../edited.json', JSON.stringify({ ...plan, changes: [{ ...plan.changes[0], ...change }] }));
      const applied = await home.sandbox('apply', join(home.path, 'edited.json'), '--yes');
      expect([applied.code, applied.stderr]).toEqual([2, expect.stringContaining('account config, is inconsistent')]);
    }
    expect((await shown()).session_hours).toBe(12);
  });

  it.each([
    ['a list', 'config: [{ timezone: UTC }]\n', 'config.yaml:1:9: must be a map, such as {business_name: …}'],
    ['a field of billing', 'config: { auto_recharge_enabled: true }\n', "unknown field 'auto_recharge_enabled'"],
    ['an id', 'config: { id: x }\n', "unknown field 'id'"],
    ['an unknown time zone', 'config: { timezone: Mars }\n', 'config.yaml:1:21: timezone:'],
  ])('is refused with %s', async (_what, text, problem) => {
    file('config.yaml', text);
    expect(await diff()).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(problem) });
  });

  it('is refused twice in one folder', async () => {
    for (const path of ['a.yaml', 'b.yaml']) file(path, 'config: { timezone: UTC }\n');
    expect((await diff()).stderr).toContain("b.yaml:1:9: the account 'config' is also defined at a.yaml:1");
  });

  it('without a value is ignored, with a note, and follows the schema', async () => {
    file('config.yaml', 'config:\n');
    expect((await diff()).stdout).toContain('config.yaml: config has no value, so it is ignored.\n');
    const { json } = await home.run('schema', 'account');
    const matches = new Ajv2020({ strict: false, validateFormats: false }).compile(json as object);
    expect(matches({ config: { timezone: 'UTC', quiet_hours: null } })).toBe(true);
    expect(matches({ config: null })).toBe(true);
    for (const wrong of [[{ timezone: 'UTC' }], { low_credit_threshold: 5 }, { id: 'x' }]) expect(matches({ config: wrong })).toBe(false);
  });

  describe('on a service without it', () => {
    let proxy: Proxy;
    let account: RemoteAccount;

    useProxiedAccount((opened) => ({ proxy, account } = opened));

    it('is left out with a note, and stays in the files', async () => {
      proxy.decide = (_method, path) => (path.includes('/account-config') ? 'missing' : 'passes');
      account.write({ 'all.yaml': 'config: { session_hours: 48 }\ntags: [{ name: VIP }]\n' });
      const applied = await account.apply();
      expect([applied.code, applied.json.changes]).toMatchObject([0, [{ kind: 'tags' }]]);
      expect(applied.json.notes).toEqual(['config is left out: Refused']);
      expect((await account.home.run('dump', account.folder)).code).toBe(0);
      expect(readFileSync(join(account.folder, 'all.yaml'), 'utf8')).toContain('session_hours: 48');
    });
  });
});
