import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountFiles } from '../../support/account-files.ts';
import { Proxy } from '../../support/proxy.ts';
import { RemoteAccount } from '../../support/remote-account.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { isLongSweep, tries } from '../../support/sweeps.ts';

let server: TestServer;
let proxy: Proxy;
/** The requests that changed something. */
const writes: string[] = [];

beforeAll(async () => {
  server = await startServer();
  proxy = await Proxy.open(new URL(server.baseUrl).origin);
  proxy.decide = (method, path) => {
    if (method !== 'GET') writes.push(`${method} ${path}`);
    return 'passes';
  };
});

afterAll(async () => {
  await proxy.close();
  await server.close();
});

async function withAccount(work: (account: RemoteAccount) => Promise<void>): Promise<void> {
  const account = await RemoteAccount.make(server, proxy.origin);
  try {
    await work(account);
  } finally {
    account.remove();
  }
}

const changesOf = ({ json }: Awaited<ReturnType<RemoteAccount['apply']>>) =>
  (json.changes as { kind: string; key: string; result: string; reason?: string }[])
    .filter(({ result }) => result !== 'done')
    .map(({ kind, key, result, reason }) => `${kind} ${key}: ${result} ${reason ?? ''}`);

it('an account is what was applied, and its dump makes the same account again', async () => {
  const property = fc.asyncProperty(accountFiles, async (files) => {
    await withAccount(async (account) => {
      account.write(files);
      const made = await account.apply();
      expect([made.code, made.stderr, made.code === 2 ? [] : changesOf(made)]).toEqual([0, '', []]);
      // A second apply writes nothing.
      writes.length = 0;
      expect((await account.apply()).json.changes).toEqual([]);
      expect(writes).toEqual([]);
      const dumped = await account.dump();
      account.write(dumped);
      const same = await account.home.run('diff', account.folder, '-o', 'json');
      expect([same.code, same.json.changes]).toEqual([0, []]);
      await withAccount(async (other) => {
        other.write(dumped);
        expect((await other.apply()).code).toBe(0);
        expect(await other.dump()).toEqual(dumped);
      });
    });
  });
  await fc.assert(property, { numRuns: tries(1), endOnFailure: !isLongSweep });
});

it('undo restores the dump, whatever was applied', async () => {
  const property = fc.asyncProperty(accountFiles, accountFiles, async (before, after) => {
    await withAccount(async (account) => {
      account.write(before);
      expect((await account.apply()).code).toBe(0);
      const dumped = await account.dump();
      account.write(after);
      // What looks renamed is held back.
      const applied = await account.apply('--allow-deletes', '0');
      if (applied.code === 2) return;
      expect(changesOf(applied)).toEqual([]);
      if ((applied.json.changes as unknown[]).length === 0) return;
      const undone = await account.home.run('undo', '--yes', '-o', 'json');
      expect([undone.code, undone.stderr, changesOf(undone)]).toEqual([0, '', []]);
      expect(await account.dump()).toEqual(dumped);
    });
  });
  await fc.assert(property, { numRuns: tries(1), endOnFailure: !isLongSweep });
});
