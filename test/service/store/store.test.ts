import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrations } from '../../../src/service/areas.ts';
import { ApiError } from '../../../src/service/errors.ts';
import { rateWindows } from '../../../src/service/http/tables.ts';
import type { Db } from '../../../src/service/store/database.ts';
import { insertMany } from '../../../src/service/store/insert.ts';
import { migrate } from '../../../src/service/store/migrate.ts';
import { openSqliteStore } from '../../../src/service/store/sqlite-store.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { engine, makeDatabase, type TestDatabase } from '../../support/stores.ts';
import { TestService } from '../../support/test-service.ts';
import { until } from '../../support/until.ts';

let database: TestDatabase;
let store: Store;

beforeEach(async () => {
  database = await makeDatabase();
  store = await database.open();
  await migrate(store, migrations, () => 0);
});

afterEach(async () => {
  await store.close();
  await database.remove();
});

const window = (bucket: string, granted = 1) => ({ bucket, started_at: 0, granted, portion: 0 });

const buckets = () =>
  store.read(async (db) => (await db.selectFrom('rate_windows').select('bucket').orderBy('bucket').execute()).map(({ bucket }) => bucket));

describe('a transaction', () => {
  it('is rolled back if it fails, but others in the same group are not', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) =>
        store.write(async (db) => {
          await db
            .insertInto('rate_windows')
            .values(window(`b${String(index).padStart(2, '0')}`))
            .execute();
          if (index % 3 === 0) throw new Error('no');
        }),
      ),
    );
    const kept = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? `b${String(index).padStart(2, '0')}` : []));
    expect(kept).toHaveLength(26);
    expect(await buckets()).toEqual(kept);
  });

  it('fails alone if it violates a constraint', async () => {
    await store.write((db) => db.insertInto('rate_windows').values(window('taken')).execute());
    const [first, second, third] = await Promise.allSettled(
      ['new', 'taken', 'newer'].map((bucket) => store.write((db) => db.insertInto('rate_windows').values(window(bucket)).execute())),
    );
    expect([first?.status, second?.status, third?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await buckets()).toEqual(['new', 'newer', 'taken']);
  });

  it('on an account fails alone, also because of a statement that was not awaited', async () => {
    const insert = (db: Db, bucket: string) => insertMany(db, rateWindows, [{ bucket, started_at: 0, granted: 0 }]);
    await store.write((db) => insert(db, 'taken'));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) =>
        store.write(
          async (db) => {
            await insert(db, index === 5 ? 'taken' : `b${String(index).padStart(2, '0')}`);
            if (index === 3) throw new Error('no');
          },
          { accounts: ['acc_one'] },
        ),
      ),
    );
    expect(outcomes.flatMap(({ status }, index) => (status === 'rejected' ? index : []))).toEqual([3, 5]);
    expect(await buckets()).toEqual(['b00', 'b01', 'b02', 'b04', 'b06', 'b07', 'b08', 'b09', 'b10', 'b11', 'taken']);
  });

  it.skipIf(engine === 'sqlite')('rejects statements after its end', async () => {
    const late = Promise.withResolvers<unknown>();
    const failed = store.write(async (db) => {
      const statement = setImmediate().then(() => db.insertInto('rate_windows').values(window('late')).execute());
      statement.then(late.resolve, late.resolve);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(String(await late.promise)).toMatch('The transaction has ended');
    expect(await buckets()).toEqual([]);
  });

  it.skipIf(engine === 'sqlite')('is ended by the database if it holds an account and sends nothing for a minute', async () => {
    const setting = async (db: Db) =>
      (await sql<{ value: string }>`select current_setting('idle_in_transaction_session_timeout') as value`.execute(db)).rows;
    expect(await store.write(setting, { accounts: ['acc_1'] })).toEqual([{ value: '1min' }]);
    expect(await store.read(setting)).toEqual([{ value: '0' }]);
  });

  it.each(['Timeout', 'connection error', 'terminated'])('passes on an error that quotes %j, as a read does', async (text) => {
    const refuse = () => Promise.reject(new ApiError(409, `There is a tag '${text}' already`));
    for (const run of [() => store.write(refuse), () => store.read(refuse), () => store.snapshot(refuse)])
      await expect(run()).rejects.toMatchObject({ status: 409, message: `There is a tag '${text}' already` });
  });

  it('is visible to readers once it is acknowledged', async () => {
    await store.write((db) => db.insertInto('rate_windows').values(window('seen')).execute());
    expect(await buckets()).toEqual(['seen']);
  });

  it('does not block readers if it takes long, and they see all of it or nothing', async () => {
    const many = Array.from({ length: 30_000 }, (_, index) => window(`b${index}`));
    const progress = { hasBegun: false, isOver: false };
    const work = (db: Db) => {
      progress.hasBegun = true;
      return insertMany(db, rateWindows, many);
    };
    const writing = store.write(work).finally(() => (progress.isOver = true));
    const seen: number[] = [];
    for (; !progress.isOver; await setImmediate()) if (progress.hasBegun) seen.push((await buckets()).length);
    await writing;
    expect(seen[0]).toBe(0);
    expect(seen.filter((count) => count !== 0 && count !== many.length)).toEqual([]);
    expect(await buckets()).toHaveLength(many.length);
  });

  it('changes nothing if it fails before all of it is written', async () => {
    const rows = (name: string, count: number) => Array.from({ length: count }, (_, index) => window(`${name}${index}`));
    const long = (db: Db) => insertMany(db, rateWindows, rows('long', 20_000));
    const failing = (db: Db) => insertMany(db, rateWindows, [...rows('failing', 5_000), window('failing0')]);
    await expect(store.write((db) => Promise.all([long(db), failing(db)]))).rejects.toThrow();
    for (let turn = 0; turn < 100; turn++) await store.write((db) => insertMany(db, rateWindows, [window(`other${turn}`)]));
    expect((await buckets()).filter((bucket) => !bucket.startsWith('other'))).toEqual([]);
  });

  it.skipIf(engine !== 'sqlite')('leaves others as much time as it took, also if it fails', async () => {
    const spin = (milliseconds: number) => {
      const end = performance.now() + milliseconds;
      while (performance.now() < end);
    };
    await store.write((db) => insertMany(db, rateWindows, [window('first')]));
    const progress = { turns: 0, isOver: false };
    const others = async () => {
      for (; !progress.isOver; await setImmediate()) {
        spin(1);
        progress.turns++;
      }
    };
    const serving = others();
    const failing = () =>
      store.write(async (db) => {
        await insertMany(db, rateWindows, [window('failing')]);
        spin(9);
        throw new Error('no');
      });
    for (let count = 0; count < 10; count++) await expect(failing()).rejects.toThrow('no');
    progress.isOver = true;
    await serving;
    // Without that time, there would be one turn for each; with it there are about fifty, and fewer on a busy machine.
    expect(progress.turns).toBeGreaterThan(20);
  });

  it('inserts any number of rows, each once and in order', async () => {
    for (const count of [0, 1, 63, 64, 65, 200, 1_001]) {
      const rows = Array.from({ length: count }, (_, index) => ({ ...window(`${count} ${index}`, index), started_at: count }));
      await store.write((db) => insertMany(db, rateWindows, rows));
      const inserted = (db: Db) => db.selectFrom('rate_windows').selectAll().where('started_at', '=', count).orderBy('granted').execute();
      expect(await store.read(inserted)).toEqual(rows);
      const more = [...rows, window(`new${count}`)];
      const kept = await store.write((db) => insertMany(db, rateWindows, more, 'on conflict do nothing returning *'));
      expect(kept.map(({ bucket }) => bucket)).toEqual([`new${count}`]);
      await store.write((db) => db.deleteFrom('rate_windows').execute());
      expect(await store.write((db) => insertMany(db, rateWindows, rows, 'returning *'))).toEqual(rows);
      await store.write((db) => db.deleteFrom('rate_windows').execute());
    }
  });

  it('is isolated from concurrent transactions', async () => {
    await store.write((db) => db.insertInto('rate_windows').values(window('sum', 0)).execute());
    const other = await database.open();
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        (index % 2 ? store : other).write((db) =>
          db
            .updateTable('rate_windows')
            .set((eb) => ({ granted: eb('granted', '+', 1) }))
            .execute(),
        ),
      ),
    );
    expect(await store.read((db) => db.selectFrom('rate_windows').select('granted').execute())).toEqual([{ granted: 60 }]);
    await other.close();
  });
});

describe('both engines', () => {
  it('return the same values: integers beyond 32 bits, sums, null and text order', async () => {
    const large = 2 ** 52 + 1;
    await store.write((db) =>
      db
        .insertInto('rate_windows')
        .values([window('a', large), window('B', 1), window('ä', 2)])
        .execute(),
    );
    const rows = await store.read((db) => db.selectFrom('rate_windows').select(['bucket', 'granted']).where('bucket', '=', 'a').execute());
    expect(rows).toEqual([{ bucket: 'a', granted: large }]);
    const { rows: sums } = await store.read((db) =>
      sql<{ sum: number; count: number }>`select sum(granted) as sum, count(*) as count from rate_windows`.execute(db),
    );
    expect(sums).toEqual([{ sum: large + 3, count: 3 }]);
  });

  it('reject a reference to a missing row', async () => {
    await expect(
      store.write((db) =>
        db.insertInto('balances').values({ account_id: 'acc_none', millionths: 1, spent_month: 0, spent_millionths: 0 }).execute(),
      ),
    ).rejects.toThrow();
  });
});

describe('a snapshot', () => {
  const write = (bucket: string) => store.write((db) => db.insertInto('rate_windows').values(window(bucket)).execute());
  const countIn = async (db: Db) => (await db.selectFrom('rate_windows').select('bucket').execute()).length;

  it('sees the data of one moment while others write', async () => {
    await write('before');
    const counts = await store.snapshot(async (db) => {
      const first = await countIn(db);
      await write('meanwhile');
      await setImmediate();
      return [first, await countIn(db)];
    });
    expect(counts).toEqual([1, 1]);
    expect(await buckets()).toEqual(['before', 'meanwhile']);
  });

  it('ends if the store is closed', async () => {
    const other = await database.open();
    const read = other.snapshot(async (db) => {
      for (;;) {
        await countIn(db);
        await setImmediate();
      }
    });
    const ended = expect(read).rejects.toThrow('The service is stopping');
    await setImmediate();
    await other.close();
    await ended;
  });

  it('cannot change anything', async () => {
    await expect(store.snapshot((db) => db.insertInto('rate_windows').values(window('no')).execute())).rejects.toThrow();
    expect(await buckets()).toEqual([]);
  });
});

it('what waits for a transaction when the store is closed is refused, and nothing of it is stored', async () => {
  const other = await database.open();
  const results = Promise.allSettled(
    Array.from({ length: 60 }, (_, index) =>
      other.write(
        (db) =>
          db
            .insertInto('rate_windows')
            .values(window(`w${index}`))
            .execute(),
        { accounts: ['acc_one'] },
      ),
    ),
  );
  await setImmediate();
  await other.close();
  const refused = (await results).flatMap((result) => (result.status === 'rejected' ? [String((result.reason as Error).message)] : []));
  expect([...new Set(refused), 'The service is stopping; try again'].filter((each, index, all) => all.indexOf(each) === index)).toEqual([
    'The service is stopping; try again',
  ]);
  expect(await buckets()).toHaveLength(60 - refused.length);
});

it('an unexpected unique violation is an error, not a busy store', async () => {
  const insert = () => store.write((db) => db.insertInto('rate_windows').values(window('twice')).execute());
  await insert();
  const error: unknown = await insert().catch((reason: unknown) => reason);
  expect(error).not.toBeInstanceOf(ApiError);
  expect(String((error as Error).message)).toMatch(/unique/i);
});

it.runIf(engine === 'sqlite')('a request sees what another process committed before', async () => {
  const service = await TestService.open();
  // The first requests reserve requests of the rate limit. The following ones are handled within one turn of the event loop.
  for (let count = 0; count < 8; count++) await service.get('/health');
  const other = new DatabaseSync(service.database.file ?? '');
  expect((await service.get('/health')).status).toBe(200);
  other.exec('update api_keys set revoked_at = 0');
  expect((await service.get('/health')).status).toBe(401);
  other.close();
  await service.close();
});

// Proves rule serve.24.
it.runIf(engine === 'sqlite')('what follows a transaction that another process forestalled sees what that one committed', async () => {
  const other = new DatabaseSync(database.file ?? '');
  // A store that has not written yet leaves others no time before its first transaction.
  const fresh = await database.open();
  const read = () => fresh.read((db) => db.selectFrom('rate_windows').select('bucket').execute());
  // In the turn of the event loop in which the transaction begins, another request reads, and then the other process commits.
  const forestall = async () => {
    await read();
    other.exec("insert into rate_windows (bucket, started_at, granted, portion) values ('taken', 0, 0, 0)");
  };
  nextTurn(() => void forestall());
  const write = fresh.write((db) => db.insertInto('rate_windows').values(window('taken')).execute());
  const seen = await write.catch(async (error: unknown) => [String(error), ...(await read())]);
  expect(seen).toEqual([expect.stringContaining('UNIQUE constraint failed'), { bucket: 'taken' }]);
  await fresh.close();
  other.close();
});

describe('the schema', () => {
  it('is migrated once, even by processes that start at the same time', async () => {
    const fresh = await makeDatabase();
    const stores = await Promise.all([fresh.open(), fresh.open(), fresh.open()]);
    await Promise.all(stores.map((each) => migrate(each, migrations, () => 0)));
    const applied = await stores[0]?.read((db) => db.selectFrom('migrations').select('name').execute());
    expect(applied?.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
    for (const each of stores) await each.close();
    await fresh.remove();
  });

  it('is rejected with one line if its version is newer', async () => {
    await store.write((db) => db.insertInto('migrations').values({ id: 99, name: 'from the future', applied_at: 0 }).execute());
    await expect(migrate(store, migrations, () => 0)).rejects.toThrow(/newer schema 'from the future'/);
  });
});

it.runIf(engine === 'sqlite')('the write-ahead log of a short-lived process stays short, because the next process reads it', async () => {
  const { file } = database;
  const brief = openSqliteStore(file as string, true);
  for (let round = 0; round < 20; round++) {
    const text = `${round} ${'x'.repeat(400_000)}`;
    await brief.write((db) => db.insertInto('rate_windows').values(window(text)).execute(), { isDurable: false });
  }
  await brief.close();
  expect(statSync(`${file}-wal`).size).toBeLessThan(4_200_000);
});

it.runIf(engine === 'sqlite')('the write-ahead log of a short-lived process that creates the store is checkpointed at once', async () => {
  const file = `${database.file as string}.new`;
  const brief = openSqliteStore(file, true);
  await migrate(brief, migrations, () => 0);
  await brief.close();
  // The file of an empty store has one page; the schema has about two hundred.
  expect(statSync(file).size).toBeGreaterThan(100 * 4096);
});

// Proves rules credentials.9, sandbox.4.
describe.skipIf(engine !== 'sqlite')('the write-ahead log', () => {
  const logged = () => {
    const other = new DatabaseSync(database.file as string);
    const { log, checkpointed } = other.prepare('pragma wal_checkpoint(noop)').get() as { log: number; checkpointed: number };
    other.close();
    return { pages: log, unmoved: log - checkpointed };
  };
  const openFiles = () =>
    readdirSync('/proc/self/fd').map((descriptor) => {
      const link = `/proc/self/fd/${descriptor}`;
      return existsSync(link) ? readlinkSync(link) : '';
    });
  const write = (name: string) => {
    const rows = Array.from({ length: 1_000 }, (_, index) => window(`${name}:${index}:${'x'.repeat(3_000)}`));
    return store.write((db) => insertMany(db, rateWindows, rows), { isDurable: false });
  };

  it('is checkpointed and restarted while others write', async () => {
    let parts = 0;
    for (; parts < 6; parts++) await write(`part${parts}`);
    // The thread checkpoints only a log this short; commits move longer ones.
    await until(() => logged().unmoved < 4_000);
    for (let restarts = 0; restarts < 3; parts++) {
      const before = logged();
      const writing = write(`part${parts}`);
      for (let read = 0; read < 10; read++) await store.read((db) => db.selectFrom('rate_windows').select('granted').limit(1).execute());
      await writing;
      if (logged().pages < before.pages) restarts++;
    }
    // The last checkpoint may leave pages that a read needed at that time.
    await until(() => logged().unmoved < 8_000);
    await store.close();
    expect(existsSync(`${database.file}-wal`)).toBe(false);
    store = await database.open();
    expect(await buckets()).toHaveLength(parts * 1_000);
  });

  it.skipIf(!existsSync('/proc/self/fd'))('of a short-lived process remains for the next one, and its files are closed', async () => {
    await store.close();
    const brief = openSqliteStore(database.file as string, true);
    await brief.write((db) => insertMany(db, rateWindows, [window('kept')]));
    expect(openFiles()).toContain(`${database.file}-wal`);
    await brief.close();
    expect(openFiles().filter((file) => file.startsWith(database.file as string))).toEqual([]);
    expect(statSync(`${database.file}-wal`).size).toBeGreaterThan(0);
    store = await database.open();
    expect(await buckets()).toEqual(['kept']);
  });

  it('keeps the pages that a long read needs, while others write', async () => {
    const gate = Promise.withResolvers<undefined>();
    const reading = store.snapshot(async (db) => {
      await db.selectFrom('rate_windows').select('granted').limit(1).execute();
      await gate.promise;
    });
    for (let part = 0; part < 12; part++) await write(`part${part}`);
    expect(logged().unmoved).toBeGreaterThan(4_000);
    expect(await buckets()).toHaveLength(12_000);
    gate.resolve(undefined);
    await reading;
  });
});

it('the store contains only digests of keys', async () => {
  const service = await TestService.open();
  const { body } = await service.post('/api-keys', { label: 'searched for' });
  const { body: rotated } = await service.post('/api-keys/rotate');
  const secrets = [service.key, rotated.api_key as string, body.api_key as string, service.token];
  await service.get('/tags', { key: rotated.api_key as string });
  await service.service.close();
  const dump = service.database.file
    ? readdirSync(dirname(service.database.file))
        .map((name) => readFileSync(join(dirname(service.database.file as string), name)).toString('latin1'))
        .join()
    : await dumpText(await service.database.open());
  expect(dump).toContain('searched for');
  for (const secret of secrets) expect(dump).not.toContain(secret);
  await service.database.remove();
});

async function dumpText(opened: Store): Promise<string> {
  const texts = await opened.read(async (db) => {
    const tables = await db.introspection.getTables();
    return await Promise.all(
      tables.map(async ({ name }) => (await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db)).rows),
    );
  });
  await opened.close();
  return JSON.stringify(texts);
}

// Proves rule serve.21.
it.runIf(engine === 'sqlite')("the store's files can only be read by their owner", async () => {
  const service = await TestService.open();
  await service.post('/tags', { name: 'x' });
  const directory = dirname(service.database.file as string);
  for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o077, name).toBe(0);
  await service.close();
});
