import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '../../src/service/areas.ts';
import { migrate } from '../../src/service/store/migrate.ts';
import { openSqliteStore } from '../../src/service/store/sqlite-store.ts';

let bytes: Promise<Buffer> | undefined;

/**
 * Makes a store file with all tables and no rows. It is new to the service, which makes its state, keys and secrets. Migrating it takes
 * 25 ms, and copying it one.
 */
export async function copyEmptyStore(file: string): Promise<void> {
  writeFileSync(file, await (bytes ??= makeEmptyStore()), { mode: 0o600 });
}

async function makeEmptyStore(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'msgctl-empty-'));
  try {
    const file = join(folder, 'msgctl.db');
    const store = openSqliteStore(file);
    await migrate(store, migrations, () => 0);
    await store.close();
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
