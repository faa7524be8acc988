import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { commentChannelOf } from '../../../contract/areas/routing/decide.ts';
import { keywordForm } from '../../../contract/areas/routing/matching.ts';
import { ApiError } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { prepared } from '../../store/prepared.ts';
import type { NewRow } from '../../store/table.ts';
import { findChannelStatus } from '../channels/records.ts';
import { keysOfCommentRule, keysOfKeyword } from './keys.ts';
import { scopeOf } from './rules.ts';
import { commentKeys, type EntryPoint, entryPoints, keywordKeys } from './table.ts';

/** An entry point as answers show it. */
export function entryPointRecord({ created_at: createdAt, updated_at: updatedAt, ...row }: EntryPoint) {
  return {
    id: row.id,
    type: row.type,
    channels: [...row.channels],
    agent_id: row.agent_id,
    enabled: row.enabled,
    match_config: { ...row.match_config },
    first_response_mode: row.first_response_mode,
    first_response_exact_text: row.first_response_exact_text,
    public_comment_reply_exact_text: row.public_comment_reply_exact_text,
    revision: row.revision,
    created_at: createdAt,
    last_modified_at: updatedAt,
  };
}

/** Lists the entry points of an account with the given type and agent, newest first. */
export async function listEntryPoints(
  db: Db,
  accountId: string,
  where: Partial<Pick<EntryPoint, 'type' | 'agent_id'>>,
): Promise<EntryPoint[]> {
  let query = db.selectFrom('entry_points').selectAll().where('account_id', '=', accountId).orderBy('seq', 'desc');
  if (where.type !== undefined) query = query.where('type', '=', where.type);
  if (where.agent_id !== undefined) query = query.where('agent_id', '=', where.agent_id);
  return (await query.execute()).map(entryPoints.decode);
}

/** The enabled default of a channel, or of a number on it. An empty number means the channel as a whole. */
export async function findDefault(db: Db, accountId: string, channel: ChannelName, number: string): Promise<EntryPoint | undefined> {
  const row = await db
    .selectFrom('entry_points')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('default_channel', '=', channel)
    .where('default_number', '=', number)
    .where('enabled', '=', 1)
    .executeTakeFirst();
  return row && entryPoints.decode(row);
}

/** The fields of a new entry point, without derived columns. */
type NewEntryPoint = Omit<
  NewRow<typeof entryPoints>,
  'id' | 'account_id' | 'created_at' | 'updated_at' | 'default_channel' | 'default_number' | 'revision' | 'enabled'
> & { readonly enabled: boolean };

/**
 * Creates an entry point. If it is an enabled default, it disables the previous default.
 * @returns the entry point, and the ids of those that it disabled
 * @throws ApiError 400 when the number of a default is not connected
 */
export async function createEntryPoint(
  db: Db,
  accountId: string,
  fields: NewEntryPoint,
  now: number,
): Promise<{ entryPoint: EntryPoint; disabled: string[] }> {
  const scope = scopeOf(fields);
  await checkConnected(db, accountId, scope);
  const disabled = fields.enabled ? await retireDefaults(db, accountId, scope, now) : [];
  const revision = await nextRevision(db, accountId);
  const entryPoint = await entryPoints.create(db, accountId, { ...fields, ...scope, revision }, now);
  await writeKeys(db, entryPoint);
  return { entryPoint, disabled };
}

/**
 * Changes an entry point. Every change counts as an update. If it is then an enabled default, it disables the previous default.
 * @throws ApiError 400 when the number of a default is not connected
 */
export async function changeEntryPoint(db: Db, before: EntryPoint, change: Partial<EntryPoint>, now: number): Promise<void> {
  const { account_id: accountId, id } = before;
  const wanted = { ...before, ...change };
  const scope = scopeOf(wanted);
  if (change.type || change.channels || change.match_config) await checkConnected(db, accountId, scope);
  if (wanted.enabled) await retireDefaults(db, accountId, scope, now, id);
  const changed = await entryPoints.change(db, accountId, id, { ...change, ...scope, revision: await nextRevision(db, accountId) }, now);
  await removeKeys(db, id);
  await writeKeys(db, changed);
}

type Scope = ReturnType<typeof scopeOf>;

/** @throws ApiError 400 when a default is for a number that is not connected on its channel */
export async function checkConnected(
  db: Db,
  accountId: string,
  { default_channel: channel, default_number: number }: Scope,
): Promise<void> {
  if (channel === null || !number) return;
  if ((await findChannelStatus(db, accountId, channel, number)) !== 'connected')
    throw new ApiError(400, `phone_number: ${number} is not connected on ${channel}`);
}

/** Disables the defaults of a channel: the default of a number, or all of them when the number is null. @returns their ids */
export async function retireDefaults(
  db: Db,
  accountId: string,
  { default_channel: channel, default_number: number }: Scope,
  now: number,
  exceptId = '',
): Promise<string[]> {
  if (channel === null) return [];
  let query = db
    .updateTable('entry_points')
    .set({ enabled: 0, updated_at: now })
    .where('account_id', '=', accountId)
    .where('default_channel', '=', channel)
    .where('enabled', '=', 1)
    .where('id', '!=', exceptId);
  if (number !== null) query = query.where('default_number', '=', number);
  return (await query.returning(['id', 'seq']).execute()).sort((a, b) => b.seq - a.seq).map(({ id }) => id);
}

const lastRevision = prepared<{ account: string }, { revision: number }>((db, $) =>
  db.selectFrom('entry_points').select('revision').where('account_id', '=', $.account).orderBy('revision', 'desc').limit(1),
);

/** The number for the next update of an account's rules. The account must be locked. */
async function nextRevision(db: Db, accountId: string): Promise<number> {
  const [last] = await lastRevision(db, { account: accountId });
  return (last?.revision ?? 0) + 1;
}

async function removeKeys(db: Db, id: string): Promise<void> {
  for (const table of ['keyword_keys', 'comment_keys'] as const) await db.deleteFrom(table).where('entry_point_id', '=', id).execute();
}

/** Writes the keys of an entry point if it is enabled. */
async function writeKeys(db: Db, { id, account_id, type, channels, enabled, revision, match_config: config }: EntryPoint): Promise<void> {
  if (!enabled) return;
  const { keywords = [], post_ids: posts = [], fuzzy_match: isFuzzy = true } = config;
  if (type === 'keyword') {
    const keys = [...new Set(keywords.map(keywordForm))].flatMap((keyword) =>
      keysOfKeyword(keyword, isFuzzy).map((key) => ({ ...key, keyword, length: [...keyword].length })),
    );
    const rows = channels.flatMap((covered) => keys.map((key) => ({ account_id, channel: covered, ...key, revision, entry_point_id: id })));
    await insertMany(db, keywordKeys, rows);
  }
  const channel = commentChannelOf(type);
  if (channel) {
    const keys = keysOfCommentRule(posts, keywords);
    const rows = keys.map(({ postId, word }) => ({ account_id, channel, post_id: postId, word, entry_point_id: id }));
    await insertMany(db, commentKeys, rows);
  }
}
