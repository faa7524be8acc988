import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
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
