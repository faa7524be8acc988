import { sql } from 'kysely';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { type Arrival, decide, type Decision, type Situation } from '../../../contract/areas/routing/decide.ts';
import { findNearKeyword, keywordTexts } from '../../../contract/areas/routing/matching.ts';
import type { Db } from '../../store/database.ts';
import { foundByKeys } from '../../store/found-by-keys.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import { keysOfMessage, wordsOfComment } from './keys.ts';
import { type EntryPoint, entryPoints } from './table.ts';

type StoredEntryPoint = StoredRow<typeof entryPoints>;

/** A situation without the data about rules and agents, which the store provides. */
type Known = Omit<Situation, 'rules' | 'hasKeywordRule' | 'activeAgents'>;

/** A decision, with the entry point that made it. */
export interface Routed {
  readonly decision: Decision;
  readonly entryPoint: EntryPoint | undefined;
}

/** Decides who answers. Reads rules only when no earlier step decides. */
export async function route(db: Db, accountId: string, known: Known): Promise<Routed> {
  const early = decide({ ...known, rules: [], hasKeywordRule: false, activeAgents: [] });
  if (early.step !== 'none') return { decision: early, entryPoint: undefined };
  const { rules, ...others } = await readCandidates(db, accountId, known);
  const decision = decide({ ...known, ...others, rules });
  return { decision, entryPoint: rules.find(({ id }) => id === decision.entry_point_id) };
}

interface Candidates extends Pick<Situation, 'hasKeywordRule' | 'activeAgents'> {
  readonly rules: readonly EntryPoint[];
}

async function readCandidates(db: Db, accountId: string, known: Known): Promise<Candidates> {
  const { arrival, channel, ownIdentity: number } = known;
  const account = { account: accountId, channel };
  if (arrival.kind === 'follow')
    return { rules: decoded(await followerRule(db, { account: accountId })), hasKeywordRule: false, activeAgents: [] };
  // Keywords apply only to contacts who have never written.
  const texts = known.hasWritten ? [] : keywordTexts(arrival.text);
  const [lengths, defaults, active, commented] = await Promise.all([
    keywordLengthsOf(db, account),
    arrival.kind === 'message' ? defaultsOf(db, { ...account, number }) : [],
    arrival.kind === 'message' ? activeAgentsOf(db, { account: accountId }) : [],
    arrival.kind === 'comment' ? findByComment(db, account, arrival) : [],
  ]);
  const keywords = await findKeywords(db, account, texts, lengths);
  const narrow = await readEntryPoints(db, [...commented, ...latest(keywords)]);
  return { rules: [...decoded(defaults), ...narrow], hasKeywordRule: lengths.length > 0, activeAgents: active.map(({ id }) => id) };
}

const decoded = (rows: readonly StoredEntryPoint[]) => rows.map(entryPoints.decode) as EntryPoint[];

const followerRule = prepared<{ account: string }, StoredEntryPoint>((db, $) =>
  db
    .selectFrom('entry_points')
    .selectAll()
    .where('account_id', '=', $.account)
    .where(sql<boolean>`enabled = 1 and type = 'photo_social_follower'`)
    .orderBy('revision', 'desc')
    .limit(1),
);

/** The enabled defaults of a channel, and of a number on it. */
const defaultsOf = prepared<{ account: string; channel: ChannelName; number: string }, StoredEntryPoint>((db, $) =>
  db
    .selectFrom('entry_points')
    .selectAll()
    .where('account_id', '=', $.account)
    .where('default_channel', '=', $.channel)
    .where('default_number', 'in', [$.number, sql.lit('')])
    .where(sql<boolean>`enabled = 1`),
);

/** The active agents of an account, at most two of them. */
const activeAgentsOf = prepared<{ account: string }, { id: string }>((db, $) =>
  db
    .selectFrom('agents')
    .select('id')
    .where('account_id', '=', $.account)
    .where(sql<boolean>`active = 1`)
    .limit(2),
);

/**
 * The lengths of the enabled keywords on a channel. Finding each length takes one index lookup, however many keywords have it.
 */
const keywordLengthsOf = prepared<Place, { length: number }>((db, $) => ({
  compile: () => {
    const next = (after: ReturnType<typeof sql>) => sql`select min(length) from keyword_keys
      where account_id = ${$.account} and channel = ${$.channel} and start = -1 and length > ${after}`;
    return sql<{ length: number }>`
      with recursive lengths (length) as (
        ${next(sql`-1`)} union all select (${next(sql`lengths.length`)}) from lengths where lengths.length is not null)
      select length from lengths where length is not null`.compile(db);
  },
}));

interface Place {
  readonly account: string;
  readonly channel: ChannelName;
}

/** Finds the keywords that equal a message or are similar to it. @param texts of the message (see `keywordTexts`) */
async function findKeywords(db: Db, place: Place, texts: readonly string[], lengths: readonly { length: number }[]): Promise<KeywordRow[]> {
  if (texts.length === 0 || lengths.length === 0) return [];
  const keys = keysOfMessage(
    texts,
    lengths.map(({ length }) => length),
  );
  const found = await keywordsByKeys(db, { ...place, keys: JSON.stringify(keys.map(({ start, piece }) => [start, piece])) });
  // A keyword without near matches is only found by its whole-text key.
  return found.filter(({ keyword }) => findNearKeyword(texts, [keyword]) !== undefined);
}

/** Selects the keyword of the rule that was updated last, which decides if there are several. */
function latest(rows: readonly KeywordRow[]): KeywordRow[] {
  return rows.toSorted((a, b) => b.revision - a.revision).slice(0, 1);
}

interface KeywordRow {
  readonly id: string;
  readonly keyword: string;
  readonly revision: number;
}

const keywordsByKeys = prepared<Place & { keys: string }, KeywordRow>((db, $) =>
  foundByKeys(db, {
    keys: $.keys,
    table: sql`keyword_keys`,
    columns: sql`found.entry_point_id as id, found.keyword, found.revision`,
    isWanted: sql`found.account_id = ${$.account} and found.channel = ${$.channel} and found.piece = wanted.value ->> 1
      and found.start = cast(wanted.value ->> 0 as bigint)`,
  }),
);

async function findByComment(db: Db, place: Place, { text, postId }: Extract<Arrival, { kind: 'comment' }>): Promise<{ id: string }[]> {
  const keys = wordsOfComment(text).flatMap((word) => [
    ['', word],
    [postId, word],
  ]);
  return await rulesByWords(db, { ...place, keys: JSON.stringify(keys) });
}

const rulesByWords = prepared<Place & { keys: string }, { id: string }>((db, $) =>
  foundByKeys(db, {
    keys: $.keys,
    table: sql`comment_keys`,
    columns: sql`distinct found.entry_point_id as id`,
    isWanted: sql`found.account_id = ${$.account} and found.channel = ${$.channel} and found.post_id = wanted.value ->> 0
      and found.word = wanted.value ->> 1`,
  }),
);

const entryPointsById = prepared<{ ids: string }, StoredEntryPoint>((db, $) =>
  db
    .selectFrom('entry_points')
    .selectAll()
    .where(isAmong(db, 'id', $.ids)),
);

async function readEntryPoints(db: Db, found: readonly { id: string }[]): Promise<EntryPoint[]> {
  return found.length === 0 ? [] : decoded(await entryPointsById(db, { ids: JSON.stringify(found.map(({ id }) => id)) }));
}
