import { limits } from '../../../contract/limits.ts';
import { iso } from '../../clock/clock.ts';
import type { Scopes } from '../../identity/credentials.ts';
import { digest, newId, newSecret, preview } from '../../identity/secrets.ts';
import type { ApiKeysTable } from '../../store/schema.ts';
import type { Db } from '../../store/store.ts';

/** An account's main key, as far as it is known. */
export async function findMainKey(db: Db, accountId: string) {
  return await db
    .selectFrom('api_keys')
    .select(['id', 'preview', 'created_at'])
    .where('account_id', '=', accountId)
    .where('kind', '=', 'main')
    .executeTakeFirst();
}

/** Gives an account a new main key in the place of any it has. Returns the key, which is stored nowhere. */
export async function replaceMainKey(db: Db, accountId: string, now: number): Promise<string> {
  const key = newSecret('mk_');
  await deleteMainKey(db, accountId);
  await db
    .insertInto('api_keys')
    .values({ ...newRow('main', key, accountId, now), label: 'Main key', scopes: '{}' })
    .execute();
  return key;
}

export async function deleteMainKey(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom('api_keys').where('account_id', '=', accountId).where('kind', '=', 'main').execute();
}

/** A scoped key to be made. */
export interface NewScopedKey {
  readonly label: string;
  readonly scopes: Scopes;
  readonly expiresAt: number | null;
}

/** Makes a scoped key. Returns the key, which is stored nowhere, and its record. */
export async function insertScopedKey(db: Db, accountId: string, { label, scopes, expiresAt }: NewScopedKey, now: number) {
  const key = newSecret('sk_');
  const row = { ...newRow('scoped', key, accountId, now), label, scopes: JSON.stringify(scopes), expires_at: expiresAt };
  await db.insertInto('api_keys').values(row).execute();
  return { key, record: scopedKeyRecord({ ...row, last_used_at: null, revoked_at: null }, () => undefined) };
}

function newRow(kind: 'main' | 'scoped', key: string, accountId: string, now: number) {
  return { id: newId('key'), account_id: accountId, kind, digest: digest(key), preview: preview(key), created_at: now };
}

const recordColumns = ['id', 'label', 'preview', 'scopes', 'expires_at', 'last_used_at', 'created_at', 'revoked_at'] as const;

type RecordRow = Pick<ApiKeysTable, (typeof recordColumns)[number]>;

/** Tells when a key was last used, as far as that is not yet written. */
type LastUse = (keyId: string) => number | undefined;

/** A scoped key as answers show it (1/Scoped key). */
function scopedKeyRecord(row: RecordRow, lastUse: LastUse) {
  const { read_only, tags, sub_account_ids, rate_limit_per_min } = JSON.parse(row.scopes) as Scopes;
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

/** Lists an account's scoped keys, newest first, revoked ones included. */
export async function listScopedKeys(db: Db, accountId: string, lastUse: LastUse) {
  const rows = await db
    .selectFrom('api_keys')
    .select(recordColumns)
    .where('account_id', '=', accountId)
    .where('kind', '=', 'scoped')
    .orderBy('seq', 'desc')
    .limit(limits.scopedKeysListed)
    .execute();
  return rows.map((row) => scopedKeyRecord(row, lastUse));
}

/** Changes a scoped key. Returns its record; undefined when the account has none of that id. */
export async function updateScopedKey(
  db: Db,
  accountId: string,
  id: string,
  change: { label?: string; scopes?: string; expires_at?: number | null },
  lastUse: LastUse,
) {
  const row = await db
    .updateTable('api_keys')
    .set(change)
    .where('account_id', '=', accountId)
    .where('kind', '=', 'scoped')
    .where('id', '=', id)
    .returning(recordColumns)
    .executeTakeFirst();
  return row && scopedKeyRecord(row, lastUse);
}

/** Revokes a scoped key; once more changes nothing. Returns whether the account has one of that id. */
export async function revokeScopedKey(db: Db, accountId: string, id: string, now: number): Promise<boolean> {
  const row = await db
    .updateTable('api_keys')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)) }))
    .where('account_id', '=', accountId)
    .where('kind', '=', 'scoped')
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
