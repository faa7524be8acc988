import { sql } from 'kysely';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { spellingsOf } from '../../../contract/areas/contacts/number-forms.ts';
import { digits } from '../../../contract/text/counted.ts';
import { limits } from '../../../contract/limits.ts';
import { ApiError, invalidField } from '../../errors.ts';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import type { NewRow } from '../../store/table.ts';
import { findChannelStatus, ownNumber } from '../channels/records.ts';
import { nextRevision, noteRuleChange } from '../rule-changes/rule-changes.ts';
import { type Matching, scopeOf } from './rules.ts';
import { type EntryPoint, entryPoints } from './table.ts';

/** An entry point as answers show it. */
export function entryPointRecord({ created_at: createdAt, updated_at: updatedAt, ...row }: EntryPoint) {
  return {
    id: row.id,
    type: row.type,
    channels: [...row.channels],
    agent_id: row.agent_id,
    enabled: row.enabled,
    match_config: { ...row.match_config },
    first_response_mode: row.first_response_mode ?? 'ai',
    first_response_exact_text: row.first_response_exact_text,
    public_comment_reply_exact_text: row.public_comment_reply_exact_text,
    revision: row.revision,
    created_at: createdAt,
    last_modified_at: updatedAt,
  };
}

/** The number of entry points that are read in one step, which takes a few milliseconds. */
const entryPointsOfStep = 10;

/**
 * Lists the entry points of an account with the given type and agent, newest first. Works in steps, so that other requests are served
 * in between.
 */
export async function listEntryPoints(
  { store, scheduler }: Pick<Service, 'store' | 'scheduler'>,
  accountId: string,
  where: Partial<Pick<EntryPoint, 'type' | 'agent_id'>>,
): Promise<EntryPoint[]> {
  const found: EntryPoint[] = [];
  for (;;) {
    const below = found.at(-1)?.seq ?? Number.MAX_SAFE_INTEGER;
    const some = await scheduler.run(() =>
      store.read(async (db) => {
        let query = db.selectFrom('entry_points').selectAll().where('account_id', '=', accountId).where('seq', '<', below);
        if (where.type !== undefined) query = query.where('type', '=', where.type);
        if (where.agent_id !== undefined) query = query.where('agent_id', '=', where.agent_id);
        return (await query.orderBy('seq', 'desc').limit(entryPointsOfStep).execute()).map(entryPoints.decode);
      }),
    );
    found.push(...some);
    if (some.length < entryPointsOfStep) return found;
  }
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
  'id' | 'account_id' | 'created_at' | 'updated_at' | 'default_channel' | 'default_number' | 'revision' | 'enabled' | keyof Counts
> & { readonly enabled: boolean };

/**
 * Creates an entry point. If it is an enabled default, it disables the previous default.
 * @returns the entry point, and the ids of those that it disabled
 * @throws ApiError 400 when the number of a default is not connected, or the account would have more than it can have
 */
export async function createEntryPoint(
  db: Db,
  accountId: string,
  fields: NewEntryPoint,
  now: number,
): Promise<{ entryPoint: EntryPoint; disabled: string[] }> {
  const scope = scopeOf(fields);
  const counts = countsOf(fields);
  await checkConnected(db, accountId, scope);
  await checkTotals(db, accountId, counts);
  const disabled = fields.enabled ? await retireDefaults(db, accountId, scope, now) : [];
  const revision = await nextRevision(db, accountId);
  const entryPoint = await entryPoints.create(db, accountId, { ...fields, ...scope, ...counts, revision }, now);
  return { entryPoint, disabled };
}

/**
 * Changes an entry point. Every change counts as an update. If it is then an enabled default, it disables the previous default.
 * @throws ApiError 400 when the number of a default is not connected, or the account would have more than it can have
 */
export async function changeEntryPoint(db: Db, before: EntryPoint, change: Partial<EntryPoint>, now: number): Promise<void> {
  const { account_id: accountId, id } = before;
  const wanted = { ...before, ...change };
  const scope = scopeOf(wanted);
  if (change.type || change.channels || change.match_config) await checkConnected(db, accountId, scope);
  const counts = countsOf(wanted);
  await checkTotals(db, accountId, counts, before);
  if (wanted.enabled) await retireDefaults(db, accountId, scope, now, id);
  const revision = await nextRevision(db, accountId);
  await entryPoints.change(db, accountId, id, { ...change, ...scope, ...counts, revision }, now);
}

type Scope = ReturnType<typeof scopeOf>;

/** What an entry point matches, with the number of a default as the account connected it. */
export async function withOwnNumber(db: Db, accountId: string, matching: Matching): Promise<Matching> {
  const { default_channel: channel, default_number: number } = scopeOf(matching);
  if (channel === null || !number) return matching;
  const own = await ownNumber(db, accountId, channel, { number, spellings: spellingsOf(number) });
  return { ...matching, match_config: { ...matching.match_config, phone_numbers: [own] } };
}

/**
 * @param field the path of the number in the request, for the error
 * @throws ApiError 400 when a default is for a number that is not connected on its channel
 */
export async function checkConnected(
  db: Db,
  accountId: string,
  { default_channel: channel, default_number: number }: Scope,
  field = 'match_config.phone_numbers.0',
): Promise<void> {
  if (channel === null || !number) return;
  if ((await findChannelStatus(db, accountId, channel, number)) !== 'connected')
    throw invalidField(field, `${number} is not connected on ${channel}`);
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
  await noteRuleChange(db, accountId);
  return (await query.returning(['id', 'seq']).execute()).sort((a, b) => b.seq - a.seq).map(({ id }) => id);
}

/** What an account may have of the rules of all its agents. */
const most = { entryPoints: limits.entryPoints, keywords: limits.allKeywords, posts: limits.allPosts, texts: limits.allRuleTexts };

const counted = prepared<{ account: string; except: string }, typeof most>((db, $) =>
  db
    .selectFrom('entry_points')
    .select((eb) => [
      eb.fn.countAll<number>().as('entryPoints'),
      sql<number>`coalesce(sum(keyword_count), 0)`.as('keywords'),
      sql<number>`coalesce(sum(post_count), 0)`.as('posts'),
      sql<number>`coalesce(sum(text_length), 0)`.as('texts'),
    ])
    .where('account_id', '=', $.account)
    .where('id', '<>', $.except),
);

type Counts = Pick<EntryPoint, 'keyword_count' | 'post_count' | 'text_length'>;

/** The columns that count what an entry point matches and says. */
function countsOf(fields: Pick<NewEntryPoint, 'match_config' | 'first_response_exact_text' | 'public_comment_reply_exact_text'>): Counts {
  const { keywords = [], post_ids: posts = [], reply_instructions: instructions } = fields.match_config;
  const texts = [instructions, fields.first_response_exact_text, fields.public_comment_reply_exact_text];
  const text_length = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  return { keyword_count: keywords.length, post_count: posts.length, text_length };
}

/**
 * @param before the entry point that is changed; undefined for a new one
 * @throws ApiError 400 when the account would have more entry points, keywords, posts or texts than it can have
 */
async function checkTotals(db: Db, accountId: string, added: Counts, before?: EntryPoint): Promise<void> {
  const columns = ['keyword_count', 'post_count', 'text_length'] as const;
  if (before && columns.every((column) => added[column] <= before[column])) return;
  const [others = { entryPoints: 0, keywords: 0, posts: 0, texts: 0 }] = await counted(db, {
    account: accountId,
    except: before?.id ?? '',
  });
  if (!before && others.entryPoints >= most.entryPoints)
    throw new ApiError(
      400,
      `The account has ${digits(most.entryPoints)} entry points, as many as it can have: delete one first, such as a retired default`,
    );
  if (others.keywords + added.keyword_count > most.keywords)
    throw invalidField(
      'match_config.keywords',
      `all entry points of an account have at most ${digits(most.keywords)} keywords together: remove some first`,
    );
  if (others.posts + added.post_count > most.posts)
    throw invalidField(
      'match_config.post_ids',
      `all entry points of an account have at most ${digits(most.posts)} posts together: remove some first`,
    );
  if (others.texts + added.text_length > most.texts)
    throw new ApiError(
      400,
      `The texts of all entry points of an account have at most ${digits(most.texts)} characters together: shorten some first`,
    );
}
