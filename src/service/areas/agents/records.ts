import { sql } from 'kysely';
import { agent as agentSchema, type AgentRecord } from '../../../contract/areas/agents/agent.ts';
import { notFound } from '../../errors.ts';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { engineOf, prepared } from '../../store/prepared.ts';
import { attachedToAgent } from './attached.ts';
import { type KnowledgeRefs, readKnowledgeRefs } from './knowledge-refs.ts';
import { type Agent, agents } from './table.ts';

const oneId = prepared<{ account: string; id: string }, { id: string }>((db, $) =>
  db.selectFrom('agents').select('id').where('account_id', '=', $.account).where('id', '=', $.id),
);

/** Checks that an account has an agent. @throws ApiError 404 */
export async function requireAgent(db: Db, accountId: string, id: string): Promise<void> {
  if (!(await hasAgent(db, accountId, id))) throw notFound('agent');
}

/** Whether an account has an agent. */
export async function hasAgent(db: Db, accountId: string, id: string): Promise<boolean> {
  return (await oneId(db, { account: accountId, id })).length > 0;
}

/** How many agents an account has, active or not. */
export async function countAgents(db: Db, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('agents')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return count;
}

type Field = keyof AgentRecord;

let allFields: readonly Field[] | undefined;

/** The fields of an agent, in the order of answers. */
function fieldsInOrder(): readonly Field[] {
  return (allFields ??= Object.keys(agentSchema().shape) as Field[]);
}

/** The fields included in a summary (rule agents.1). */
const summaryFields: ReadonlySet<Field> = new Set([
  'id',
  'name',
  'active',
  'language',
  'goal',
  'tags',
  'ai_model_tier',
  'ai_speed',
  'enable_bookings',
  'enable_follow_ups',
  'faq_refs_count',
  'kb_source_refs_count',
  'created_at',
  'last_modified_at',
]);

/** The fields whose columns have another name. */
const shownAs: Partial<Record<Field, keyof Agent>> = { last_modified_at: 'updated_at' };

const refFields: ReadonlySet<Field> = new Set(['faq_refs', 'faq_refs_count', 'kb_source_refs', 'kb_source_refs_count']);

/** The maximum length of the goal in a summary, in characters. */
const goalLength = 200;

/** The part of an agent to show. */
interface AgentView {
  readonly fields: ReadonlySet<Field>;
  readonly isSummary: boolean;
}

/** The view that a query requests. @param names the fields, separated by commas; all by default. Unknown ones are ignored. */
export function viewOf(names: string | undefined, isSummary: boolean): AgentView {
  const wanted = names === undefined ? undefined : new Set(names.split(',').map((name) => name.trim()));
  const fields = fieldsInOrder().filter(
    (field) => (!isSummary || summaryFields.has(field)) && (field === 'id' || !wanted || wanted.has(field)),
  );
  return { fields: new Set(fields), isSummary };
}

/** Shows an agent. @throws ApiError 404 when the account has no such agent */
export async function showAgent(db: Db, accountId: string, id: string, view: AgentView): Promise<AgentRecord> {
  const row = await agentRows(db, accountId, view).where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('agent');
  return await agentRecord(db, row, view);
}

/**
 * The number of agents to read in a step. An agent can be large and have a lot of knowledge, and SQLite answers nobody else
 * meanwhile. PostgreSQL gets the statements for all of them at once: few enough to leave connections to others.
 */
const agentsOfStep = { sqlite: 1, postgres: 4 };

/** Lists the agents of an account, newest first, step by step, so that other requests are served in between. */
export async function listAgents({ store, scheduler }: Service, accountId: string, view: AgentView): Promise<AgentRecord[]> {
  const listed: AgentRecord[] = [];
  let before: number | undefined;
  for (;;) {
    const last = await scheduler.run(() =>
      store.read(async (db) => {
        const query = agentRows(db, accountId, view).orderBy('seq', 'desc').limit(agentsOfStep[engineOf(db)]);
        const rows = await (before === undefined ? query : query.where('seq', '<', before)).execute();
        listed.push(...(await Promise.all(rows.map((row) => agentRecord(db, row, view)))));
        return rows.at(-1)?.seq;
      }),
    );
    if (last === undefined) return listed;
    before = last;
  }
}

/** A row that has only the columns of a view. */
type SomeRow = Pick<Agent, 'id' | 'seq'> & Record<string, unknown>;

function agentRows(db: Db, accountId: string, { fields, isSummary }: AgentView) {
  const columns = [...fields].map((field) => shownAs[field] ?? field).filter((column) => column in agents.columns);
  const whole = columns.filter((column) => column !== 'id' && !(isSummary && column === 'goal')) as 'name'[];
  const rows = db
    .selectFrom('agents')
    .where('account_id', '=', accountId)
    .select(['id', 'seq', ...whole]);
  const shortened = sql<string | null>`substr(goal, 1, ${sql.lit(goalLength + 1)})`.as('goal');
  return isSummary && fields.has('goal') ? rows.select(shortened) : rows;
}

async function agentRecord(db: Db, stored: SomeRow, { fields, isSummary }: AgentView): Promise<AgentRecord> {
  const needsRefs = [...fields].some((field) => refFields.has(field));
  const refs = needsRefs && (await readKnowledgeRefs(db, stored.id, fields.has('faq_refs')));
  const attached = fields.has('custom_function_ids') || fields.has('mcp_server_ids') ? await attachedToAgent(db, stored.id) : {};
  const row = agents.decode({ ...stored } as never) as Partial<Agent>;
  const values: Record<string, unknown> = {
    ...row,
    ...(isSummary && row.goal && { goal: shorten(row.goal) }),
    ...(refs && refFieldsOf(refs)),
    ...attached,
    substrate_campaign_id: null,
  };
  return Object.fromEntries([...fields].map((field) => [field, values[shownAs[field] ?? field]])) as AgentRecord;
}

function refFieldsOf({ faqIds, faqCount, sourceIds }: KnowledgeRefs) {
  return { faq_refs: faqIds, faq_refs_count: faqCount, kb_source_refs: sourceIds, kb_source_refs_count: sourceIds.length };
}

function shorten(goal: string): string {
  const characters = [...goal];
  return characters.length > goalLength ? `${characters.slice(0, goalLength).join('')}…` : goal;
}
