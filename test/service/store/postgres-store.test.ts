import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { engine } from '../../support/stores.ts';
import { TestService } from '../../support/test-service.ts';

const hasServer = engine === 'postgres';

// Proves rule conventions.15.
it.runIf(hasServer)('goes on when the connections in use are lost, and loses nothing that it acknowledged', async () => {
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
    await sleep(50);
    await administrator.read((db) =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(
        db,
      ),
    );
  }
  isOver = true;
  await Promise.all(writers);
  expect([...statuses].filter((status) => ![201, 503].includes(status))).toEqual([]);
  expect((await service.post('/tags', { name: 'afterwards' })).status).toBe(201);
  const rows = await administrator.read((db) => db.selectFrom('tags').select('name').execute());
  const stored = new Set(rows.map(({ name }) => name));
  expect(acknowledged.length).toBeGreaterThan(10);
  expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
  await administrator.close();
  await service.close();
});

// Proves rule serve.40.
it.runIf(hasServer)('drops the connections on which the server accepts no writes, and uses it again when it does', async () => {
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
  // The first requests find the lost connections, and the next ones get new connections, on which nothing can be written.
  for (let round = 0; round < 3; round++) expect(new Set(await answers())).toEqual(new Set([503]));
  await setReadOnly('off');
  // Connections that were only read from are found out by their first change.
  await vi.waitFor(async () => expect(new Set(await answers())).toEqual(new Set([201])), 20_000);
  await administrator.close();
  await service.close();
});
