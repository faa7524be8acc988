import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { accountFiles } from '../support/account-files.ts';
import { accountFolder } from '../support/account-folder.ts';
import { readFiles } from '../support/read-files.ts';
import { isLongSweep, tries } from '../support/sweeps.ts';
import { Home } from '../support/terminal-world.ts';

/** The files of a dump without what stays behind, and without what arrives in another state. */
async function dumped(home: Home, account: string): Promise<Record<string, string>> {
  const folder = join(home.path, 'dump');
  rmSync(folder, { recursive: true, force: true });
  expect(await home.sandbox('dump', folder, '-q', '--sub-account', account)).toMatchObject({ code: 0, stderr: '' });
  const files = Object.entries(readFiles(folder)).filter(([path]) => !/^(account|config|short-links)[.]yaml$/.test(path));
  return Object.fromEntries(files.map(([path, text]) => [path, text.replace(/^submit: true\n/gm, '')]));
}

// Proves rules snapshots.2, snapshots.4.
it('an empty account dumps as the source did once it has its snapshot, and the snapshot changes nothing again', async () => {
  const property = fc.asyncProperty(accountFiles, async (files) => {
    const home = new Home();
    const { file } = accountFolder(() => home);
    for (const [path, text] of Object.entries(files)) file(path, text);
    const run = async (...words: string[]) => {
      const result = await home.sandbox(...words);
      expect(result.code, result.stderr).toBe(0);
      return result.json;
    };
    const plan = '{"key_requests_per_minute": 1000000, "account_requests_per_minute": 1000000}';
    await run('sandbox', 'accounts', 'update', '--plan', plan, '-o', 'json');
    await run('apply', join(home.path, 'account'), '--yes', '--sub-account', 'own', '-o', 'json');
    await run('accounts', 'create', 'Client', '-o', 'json');
    await run('snapshots', 'create', 'Standard', '-o', 'json');
    const apply = async () =>
      (await run('snapshots', 'apply', 'Standard', 'Client', '--on-conflict', 'update', '--yes', '-o', 'json')).accounts[0];
    const first = await apply();
    expect(first).toMatchObject({ status: 'completed', updated: 0, skipped: 0, error: null, needs_attention: [] });
    expect(await dumped(home, 'Client')).toEqual(await dumped(home, 'own'));
    expect(await apply()).toMatchObject({ created: 0, updated: 0, skipped: first.created, needs_attention: [] });
    home.remove();
  });
  await fc.assert(property, { numRuns: tries(2), endOnFailure: !isLongSweep });
});
