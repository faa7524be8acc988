import { sql } from 'kysely';
import type { listGaps as listGapsEndpoint } from '../../../contract/areas/gaps/endpoints.ts';
import type { Query } from '../../../contract/endpoint.ts';
import { limits } from '../../../contract/limits.ts';
import type { Db } from '../../store/database.ts';
import { limitTo } from '../../store/limits.ts';
import { haveValues, type Part, readPart } from '../../store/parts.ts';
import { prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import { type Gap, gaps } from './table.ts';

/** Which gaps are listed. */
type Filters = Pick<Query<typeof listGapsEndpoint>, 'agent_id' | 'status'>;

/** A gap as answers show it. */
export async function gapRecord(db: Db, gap: Gap) {
  const wanted = { gap: gap.id, account: gap.account_id };
  const [wordings, contacts, agents] = await Promise.all([
    firstWordings(db, { gap: gap.id, limit: limits.shownWordings }),
    lastAskers(db, wanted),
    askedAgents(db, wanted),
  ]);
  const { id, question, count, ...others } = gaps.show(gap);
  return {
    id,
    question,
    wordings: wordings.map(({ text }) => text),
    count,
    agent_ids: agents.map((each) => each.id),
    contact_ids: contacts.map((each) => each.id),
    ...others,
  };
}

/** Lists gaps by descending `seq`, below `before`. @param filters with an agent of the account, if any */
export async function listGaps(db: Db, accountId: string, filters: Filters, before: number | undefined, limit: number): Promise<Part<Gap>> {
  const range = { column: 'account_id', value: accountId, below: before ?? Number.MAX_SAFE_INTEGER };
  return await readPart(db, gaps, range, conditionsOf(filters), limit);
}

/** The most frequent gaps; of those that are as frequent, the newest first. */
export async function mostFrequentGaps(db: Db, accountId: string, filters: Filters, limit: number): Promise<Gap[]> {
  const wanted = [sql`account_id = ${accountId}`, ...conditionsOf(filters)];
  const { rows } = await sql<StoredRow<typeof gaps>>`select * from knowledge_gaps where ${sql.join(wanted, sql` and `)}
    order by count desc, seq desc ${limitTo(limit)}`.execute(db);
  return rows.map((row) => gaps.decode(row));
}

function conditionsOf({ agent_id: agent, status }: Filters) {
  const wasAsked = sql`exists (select 1 from gap_agents where gap_id = knowledge_gaps.id and gap_agents.agent_id = ${agent})`;
  return [...haveValues({ status }), ...(agent === undefined ? [] : [wasAsked])];
}

/** The most frequent wording of a gap; of several, the one that was used first. */
export async function mostFrequent(db: Db, gap: Gap): Promise<string> {
  const [first] = await firstWordings(db, { gap: gap.id, limit: 1 });
  return first?.text ?? gap.question;
}

const firstWordings = prepared<{ gap: string; limit: number }, { text: string }>((db, $) =>
  db
    .selectFrom('gap_wordings')
    .select('text')
    .where('gap_id', '=', $.gap)
    .orderBy('count', 'desc')
    .orderBy('first_at')
    .orderBy('key')
    .limit($.limit),
);

const lastAskers = prepared<{ gap: string; account: string }, { id: string }>((db, $) =>
  db
    .selectFrom('gap_contacts')
    .innerJoin('contacts', 'contacts.id', 'gap_contacts.contact_id')
    .select('contacts.id')
    .where('gap_id', '=', $.gap)
    .where('contacts.account_id', '=', $.account)
    .orderBy('last_at', 'desc')
    .orderBy('gap_contacts.contact_id')
    .limit(sql.lit(limits.shownAskers)),
);

const askedAgents = prepared<{ gap: string; account: string }, { id: string }>((db, $) =>
  db
    .selectFrom('gap_agents')
    .innerJoin('agents', 'agents.id', 'gap_agents.agent_id')
    .select('agents.id')
    .where('gap_id', '=', $.gap)
    .where('agents.account_id', '=', $.account)
    .orderBy('agents.seq'),
);
