import { iso } from '../../../contract/time/instants.ts';
import { limits } from '../../../contract/limits.ts';
import { notFound } from '../../errors.ts';
import { digest, newSecret, preview } from '../../identity/secrets.ts';
import { apiKeys, type Scopes } from '../../identity/tables.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany, insertOne } from '../../store/insert.ts';
import { newest } from '../../store/newest.ts';
import type { NewRow, Row } from '../../store/table.ts';

type ApiKey = Row<typeof apiKeys>;

/** Reads the record of an account's main key; undefined when it has none. */
export async function findMainKey(db: Db, accountId: string): Promise<Pick<ApiKey, 'id' | 'preview' | 'created_at'> | undefined> {
  return await db
    .selectFrom('api_keys')
    .select(['id', 'preview', 'created_at'])
    .where('account_id', '=', accountId)
    .where('kind', '=', 'main')
    .executeTakeFirst();
}

/** Creates a main key for an account, replacing the existing one. @returns the key, of which only a digest is stored */
export async function createMainKey(db: Db, accountId: string, now: number): Promise<string> {
  const key = newSecret('mk_');
  await insertMany(
    db,
    apiKeys,
    [{ ...newKeyRow('main', key, accountId, now), label: 'Main key' }],
    `on conflict (account_id) where kind = 'main' do update set
       id = excluded.id, digest = excluded.digest, preview = excluded.preview, created_at = excluded.created_at, last_used_at = null`,
  );
  return key;
}

/**
 * Replaces a main key, unless another request replaced or revoked it.
 * @returns the new key, of which only a digest is stored; undefined when the account no longer has the key with this id
 */
export async function replaceMainKey(db: Db, accountId: string, id: string, now: number): Promise<string | undefined> {
  const key = newSecret('mk_');
  const { numUpdatedRows } = await db
    .updateTable('api_keys')
    .set({ id: newId('key'), digest: digest(key), preview: preview(key), created_at: now, last_used_at: null })
    .where('account_id', '=', accountId)
    .where('kind', '=', 'main')
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows === 0n ? undefined : key;
}

/** Deletes a main key, unless another request replaced or revoked it. @returns whether it was deleted */
export async function deleteMainKey(db: Db, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('api_keys')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'main')
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The fields of a new scoped key. */
interface NewScopedKey {
  readonly label: string;
  readonly scopes: Scopes;
  readonly expiresAt: number | null;
}

/** Creates a scoped key. @returns the key, of which only a digest is stored, and its record */
export async function createScopedKey(db: Db, accountId: string, { label, scopes, expiresAt }: NewScopedKey, now: number) {
  const key = newSecret('sk_');
  const row = await insertOne(db, apiKeys, { ...newKeyRow('scoped', key, accountId, now), label, scopes, expires_at: expiresAt });
  return { key, record: scopedKeyRecord(row, () => undefined) };
}

function newKeyRow(kind: ApiKey['kind'], key: string, accountId: string, now: number): Omit<NewRow<typeof apiKeys>, 'label'> {
  return { id: newId('key'), account_id: accountId, kind, digest: digest(key), preview: preview(key), created_at: now };
}

/** The last use of a key, if it has not been stored yet. */
type LastUse = (keyId: string) => number | undefined;

/** A scoped key as answers show it. */
function scopedKeyRecord(row: ApiKey, lastUse: LastUse) {
  const { read_only, tags, sub_account_ids, rate_limit_per_min } = row.scopes as Scopes;
  return {
    id: row.id,
    label: row.label,
    key_preview: row.preview,
    scopes: { read_only, tags: [...tags], sub_account_ids: [...sub_account_ids], rate_limit_per_min },
    expires_at: iso(row.expires_at),
    last_used_at: iso(lastUse(row.id) ?? row.last_used_at),
    created_at: iso(row.created_at),
    revoked_at: iso(row.revoked_at),
    revoked: row.revoked_at !== null,
  };
}

/** Lists an account's scoped keys, newest first, including revoked ones. */
export async function listScopedKeys(db: Db, accountId: string, lastUse: LastUse) {
  const rows = await newest(db, apiKeys, { account_id: accountId, kind: 'scoped' }, undefined, limits.scopedKeysListed);
  return rows.map((row) => scopedKeyRecord(row, lastUse));
}

/** Reads a scoped key. @throws ApiError 404 when the account has no such key */
export async function getScopedKey(db: Db, accountId: string, id: string, lastUse: LastUse) {
  const row = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('kind', '=', 'scoped')
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound('key');
  return scopedKeyRecord(apiKeys.decode(row), lastUse);
}

/** Changes a scoped key. @returns its record @throws ApiError 404 when the account has no such key */
export async function updateScopedKey(
  db: Db,
  accountId: string,
  id: string,
  change: Partial<Pick<ApiKey, 'label' | 'scopes' | 'expires_at'>>,
  lastUse: LastUse,
) {
  const row = await db
    .updateTable('api_keys')
    .set(apiKeys.encode(change))
    .where('account_id', '=', accountId)
    .where('kind', '=', 'scoped')
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (!row) throw notFound('key');
  return scopedKeyRecord(apiKeys.decode(row), lastUse);
}

/** Revokes a scoped key. Idempotent. @throws ApiError 404 when the account has no such key */
export async function revokeScopedKey(db: Db, accountId: string, id: string, now: number): Promise<void> {
  const row = await db
    .updateTable('api_keys')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)) }))
    .where('account_id', '=', accountId)
    .where('kind', '=', 'scoped')
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  if (!row) throw notFound('key');
}
