import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PostgresClient } from '../../../src/service/store/postgres-client.ts';
import { openPostgresStore, postgresStore } from '../../../src/service/store/postgres-store.ts';
import { prepared } from '../../../src/service/store/prepared.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { engine, makePostgresDatabase } from '../../support/stores.ts';
import { TestService } from '../../support/test-service.ts';
import { until } from '../../support/until.ts';

const hasServer = engine === 'postgres';

// Proves rule conventions.90.
it.runIf(hasServer)('a service on a database whose disk is full answers 503, changes nothing, and still answers reads', async () => {
  const service = await TestService.open();
  await service.write(async (db) => {
    await sql`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`.execute(db);
    await sql`create trigger full_disk before insert on tags for each row execute function refuse()`.execute(db);
  });
  const { status, body } = await service.post('/tags', { name: 'VIP' });
  expect([status, body.error]).toEqual([503, 'The disk of the store is full, or cannot be written: nothing was changed']);
  expect((await service.get('/tags')).body.tags).toEqual([]);
  await service.write((db) => sql`drop trigger full_disk on tags`.execute(db));
  expect((await service.post('/tags', { name: 'VIP' })).status).toBe(201);
  expect(service.errors).toEqual([]);
  await service.close();
});

// Proves rule serve.39.
it.runIf(hasServer)('a database that cannot be used is described in plain words', async () => {
  const { address, remove } = await makePostgresDatabase();
  const nowhere = new URL(address);
  nowhere.pathname = '/nowhere';
  for (const [unusable, reason] of [
    [nowhere.href, 'there is no such database: create it first'],
    [`${address}?sslmode=require`, 'the server has no TLS: leave sslmode out of the address'],
    ['postgres:///x?host=/nowhere', 'no server has a socket there'],
  ] as const)
    await expect(openPostgresStore(unusable)).rejects.toThrow(new RegExp(`^Cannot reach the database \\S+: ${reason}$`));
  await remove();
});

// Proves rule conventions.15.
it.runIf(hasServer)('the service recovers from lost connections without losing acknowledged writes', async () => {
  const service = await TestService.open();
  await service.liftLimits();
  const administrator = await service.database.open();
  const acknowledged: string[] = [];
  const statuses = new Set<number>();
  let isOver = false;
  const writers = Array.from({ length: 12 }, async (_, writer) => {
    for (let number = 0; !isOver; number++) {
      const name = `${writer} ${number}`;
      const { status } = await service.post('/tags', { name });
      statuses.add(status);
      if (status === 201) acknowledged.push(name);
    }
  });
  for (let round = 0; round < 8; round++) {
    // Some writes are acknowledged before each loss, and others are in progress.
    const before = acknowledged.length;
    await until(() => acknowledged.length >= before + writers.length);
    await administrator.read((db) =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(
        db,
      ),
    );
  }
  isOver = true;
  await Promise.all(writers);
  expect([...statuses].filter((status) => ![201, 503].includes(status))).toEqual([]);
  // A connection that was lost while idle may only be discovered by the next request.
  await until(async () => (await service.post('/tags', { name: 'afterwards' })).status === 201);
  const rows = await administrator.read((db) => db.selectFrom('tags').select('name').execute());
  const stored = new Set(rows.map(({ name }) => name));
  expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
  await administrator.close();
  await service.close();
});

// Proves rule serve.41.
it.runIf(hasServer).each([
  ['', true],
  ['?prepared_statements=off', false],
])('the store prepares named statements with %j: %s', async (parameters, expected) => {
  const { address, remove } = await makePostgresDatabase();
  const store = await openPostgresStore(`${address}${parameters}`);
  const readNames = prepared<object, { name: string }>((db) => ({
    compile: () => sql<{ name: string }>`select name from pg_prepared_statements`.compile(db),
  }));
  const names = await store.read(async (db) => {
    await readNames(db, {});
    return await readNames(db, {});
  });
  expect(names.length > 0).toBe(expected);
  await store.close();
  await remove();
});

// Proves rule serve.40.
it.runIf(hasServer)('the store drops connections to a read-only server, and uses it again when it accepts writes', async () => {
  const service = await TestService.open();
  const administrator = await service.database.open();
  const setReadOnly = async (value: string) => {
    await administrator.read((db) =>
      sql`do ${sql.lit(`begin execute format('alter database %I set default_transaction_read_only = ${value}', current_database()); end`)}`.execute(
        db,
      ),
    );
  };
  await setReadOnly('on');
  await administrator.read((db) =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(db),
  );
  const answers = () =>
    Promise.all(Array.from({ length: 20 }, async () => (await service.post('/tags', { name: `tag ${made++}` })).status));
  let made = 0;
  // The first requests discover the lost connections, and the next ones get new connections, which cannot be written to.
  for (let round = 0; round < 3; round++) expect(new Set(await answers())).toEqual(new Set([503]));
  await setReadOnly('off');
  // Connections that were only used for reads are discovered by their first write.
  await until(async () => (await answers()).every((status) => status === 201));
  await administrator.close();
  await service.close();
});

describe.runIf(hasServer)('transactions of an account', () => {
  let database: Awaited<ReturnType<typeof makePostgresDatabase>>;
  let pool: pg.Pool;
  /** Called after a statement has run, before its result is returned. */
  let after: (text: string) => void;
  let store: Store;

  beforeEach(async () => {
    database = await makePostgresDatabase();
    pool = new pg.Pool({ connectionString: database.address, pipeline: true });
    // A connection that the pool gave up may still be open when the database is removed.
    pool.on('connect', (client) => client.on('error', () => {}));
    await pool.query("create table accounts (id text, parent_id text); insert into accounts values ('one'), ('two')");
    await pool.query('create table written (what text)');
    after = () => {};
    const connect = async (): Promise<PostgresClient> => {
      const client = await pool.connect();
      const query: PostgresClient['query'] = async (statement) => {
        const answer = await client.query(statement);
        after(statement.text);
        return answer;
      };
      return { query, release: (close) => client.release(close) };
    };
    store = postgresStore({ connect, end: () => pool.end() }, true);
  });

  afterEach(async () => {
    await store.close();
    await database.remove();
  });

  const write = (what: string, account = 'one') =>
    store.write(async (db) => void (await sql`insert into written values (${what})`.execute(db)), { accounts: [account] });
  const written = async () => (await pool.query<{ what: string }>('select what from written order by what')).rows.map(({ what }) => what);

  it('do not run again if the connection is lost after the commit', async () => {
    let commits = 0;
    after = (text) => {
      if (text === 'commit' && ++commits === 2) throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    };
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd'].map((what) => write(what)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    expect(outcomes[1]).toMatchObject({ reason: { status: 503 } });
    expect(await written()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('return 503 if another process has locked the account, while those of other accounts continue', async () => {
    const other = await pool.connect();
    await other.query("begin; select from accounts where id = 'one' for update");
    const held = write('held');
    await write('free', 'two');
    await expect(held).rejects.toMatchObject({ status: 503 });
    await other.query('rollback');
    other.release();
    await write('later');
    expect(await written()).toEqual(['free', 'later']);
  });
});
