import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { iso } from '../../../contract/time/instants.ts';
import { readClock } from '../../clock/clock.ts';
import { lockState, readState, updateState } from '../../clock/state.ts';
import { ApiError, ServiceUnavailable } from '../../errors.ts';
import type { AreaHandlers, Service } from '../../http/handler.ts';
import { apiKeys } from '../../identity/tables.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { isDatabase } from '../../store/sqlite-copy.ts';
import { openSqliteStore } from '../../store/sqlite-store.ts';
import type { Store, StoreCopies } from '../../store/store.ts';

/** The handlers that save the whole store and take one back. */
export const storeHandlers: Pick<AreaHandlers<'sandbox'>, 'sandbox.save' | 'sandbox.load'> = {
  'sandbox.save': async ({ service }) => {
    await service.flush();
    return { store: Buffer.from(await copiesOf(service).save()).toString('base64') };
  },
  'sandbox.load': async ({ service, bytes }) => {
    const copies = copiesOf(service);
    const folder = mkdtempSync(join(tmpdir(), 'msgctl-store-'));
    const file = join(folder, 'store.db');
    try {
      await prepare(file, bytes, service);
      await service.replaceStore(async () => await copies.replace(file, keepAccess(await service.store.read(readAccess))));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return await service.store.read(async (db) => ({
      account_id: await firstAccountId(db),
      now: iso(readClock(await readState(db), service.realNow())),
    }));
  },
};

/** @throws ApiError 409 on PostgreSQL */
function copiesOf({ store }: Service): StoreCopies {
  if (store.copies) return store.copies;
  throw new ApiError(409, 'The store is on PostgreSQL: save and restore it with pg_dump and pg_restore');
}

/** Writes a saved store to a file, with the newest schema. @throws ApiError 400 when it is none, or one of a newer version */
async function prepare(file: string, bytes: Uint8Array, { migrate }: Service): Promise<void> {
  if (!isDatabase(bytes)) throw notSaved();
  writeFileSync(file, bytes, { mode: 0o600 });
  const store = openSaved(file);
  try {
    await store.read(checkWhole).catch((error: unknown) => {
      throw notSaved(error);
    });
    await migrate(store);
  } catch (error) {
    throw error instanceof ServiceUnavailable ? new ApiError(400, `This store cannot be loaded: ${error.message}`) : error;
  } finally {
    await store.close();
  }
}

/** @throws Error when the store is damaged, or none of this program */
async function checkWhole(db: Db): Promise<void> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db);
  if (rows[0]?.quick_check !== 'ok') throw new Error('The file is damaged');
  await firstAccountId(db);
}

function openSaved(file: string): Store {
  try {
    return openSqliteStore(file);
  } catch (error) {
    // The message of the error has the path of the file.
    throw notSaved(error);
  }
}

function notSaved(cause?: unknown): ApiError {
  return Object.assign(new ApiError(400, 'This is not a saved store, or it is damaged: `msgctl sandbox save` writes one'), { cause });
}

async function firstAccountId(db: Db): Promise<string> {
  const { id } = await db
    .selectFrom('accounts')
    .select('id')
    .where('deleted_at', 'is', null)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirstOrThrow();
  return id;
}

type MainKey = Awaited<ReturnType<typeof readMainKey>>;

async function readMainKey(db: Db, accountId: string) {
  return await db.selectFrom('api_keys').selectAll().where('account_id', '=', accountId).where('kind', '=', 'main').executeTakeFirst();
}

/** How others reach the store, which stays as it is: the main key of the first account, and the secrets of the service. */
async function readAccess(db: Db) {
  const { sandbox_token_digest, cursor_secret, identity_key, embedding_model } = await lockState(db);
  return {
    key: await readMainKey(db, await firstAccountId(db)),
    state: { sandbox_token_digest, cursor_secret, identity_key, embedding_model },
  };
}

/** Lets those who reached the store before reach the loaded one, and gives its running jobs back to the queue. */
function keepAccess({ key, state }: { key: MainKey; state: Awaited<ReturnType<typeof readAccess>>['state'] }): (db: Db) => Promise<void> {
  return async (db) => {
    await updateState(db, { ...state, advance_owner: null, advance_until: 0 });
    await db.updateTable('jobs').set({ lease_owner: null, lease_until: 0 }).execute();
    await db.deleteFrom('kept_answers').where('status', 'is', null).execute();
    if (!key) return;
    await db.deleteFrom('api_keys').where('digest', '=', key.digest).execute();
    const account_id = await firstAccountId(db);
    await db.deleteFrom('api_keys').where('account_id', '=', account_id).where('kind', '=', 'main').execute();
    await insertMany(db, apiKeys, [{ ...apiKeys.decode(key), id: newId('key'), account_id }]);
  };
}
