import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kindNames } from '../../src/account-as-code/kind.ts';
import { schemaOfRecord } from '../../src/account-as-code/files/read.ts';
import { kinds } from '../../src/account-as-code/kinds.ts';
import { readLive } from '../../src/account-as-code/live.ts';
import { type Fields, hasFields, pick } from '../../src/account-as-code/values.ts';
import { Client } from '../../src/client/client.ts';
import { remoteTransport } from '../../src/client/remote-transport.ts';
import { accountFiles, unusualRecords } from '../support/account-files.ts';
import { engines } from '../support/processes.ts';
import { Proxy } from '../support/proxy.ts';
import { RemoteAccount } from '../support/remote-account.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { makePostgresDatabase } from '../support/stores.ts';
import { isLongSweep, tries } from '../support/sweeps.ts';

describe.each(engines)('on %s', (engine) => {
  let server: TestServer;
  let proxy: Proxy;
  let removeDatabase = async () => {};
  /** The requests that changed something. */
  const writes: string[] = [];

  beforeAll(async () => {
    const database = engine === 'sqlite' ? undefined : await makePostgresDatabase();
    if (database) removeDatabase = database.remove;
    server = await startServer(database ? { database: database.address } : {});
    proxy = await Proxy.open(new URL(server.baseUrl).origin);
    proxy.decide = (method, path) => {
      if (method !== 'GET') writes.push(`${method} ${path}`);
      return 'passes';
    };
  });

  afterAll(async () => {
    await proxy.close();
    await server.close();
    await removeDatabase();
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

  it('an account matches the applied files, and its dump recreates the same account', async () => {
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
        // A record that looks renamed is blocked.
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

  it('normalising is idempotent and matches what the service returns, for each kind', async () => {
    const property = fc.asyncProperty(unusualRecords, async (records) => {
      await withAccount(async (account) => {
        account.write({ 'all.yaml': JSON.stringify(records) });
        const made = await account.apply('--with', 'keys,sources');
        expect([made.code, made.stderr, made.code === 2 ? [] : changesOf(made)]).toEqual([0, '', []]);
        const transport = await remoteTransport(proxy.origin);
        const { key } = account;
        const live = await readLive(
          new Client({
            transport,
            key,
            keySource: 'environment',
            userAgent: 'test',
            sleep: async () => {},
            random: () => 0,
            now: Date.now,
          }),
          kindNames,
        );
        await transport.close();
        for (const name of kindNames) {
          const { normalise = (fields: Fields) => fields, completed = (fields: Fields) => fields } = kinds[name];
          const found = live.records.get(name) ?? [];
          const written: readonly object[] = Array.isArray(records[name]) ? records[name] : [records[name]];
          expect(found.length, name).toBe(written.length);
          for (const { fields } of found) expect(normalise(fields), name).toEqual(fields);
          for (const each of written) {
            const given = normalise(pick(schemaOfRecord(kinds[name]).parse(each), Object.keys(each)));
            expect(normalise(given), name).toEqual(given);
            const normal = completed(given, undefined);
            expect(
              found.some(({ fields }) => hasFields(fields, normal)),
              `${name}: ${JSON.stringify(normal)}`,
            ).toBe(true);
          }
        }
      });
    });
    await fc.assert(property, { numRuns: tries(2), endOnFailure: !isLongSweep });
  });
});
