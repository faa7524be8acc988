import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import { type Agent, agents } from './table.ts';

/** The columns needed for answering. */
const columns = [
  'id',
  'account_id',
  'name',
  'active',
  'language',
  'ai_model_tier',
  'timezone',
  'availability',
  'max_messages',
  'alert_human_when',
  'tags',
  'goal',
  'personality',
  'rules',
  'instructions',
] as const;

/** An agent, with the columns needed for answering. */
export type AnsweringAgent = Pick<Agent, (typeof columns)[number]>;

const oneAgent = prepared<{ account: string; id: string }, Pick<StoredRow<typeof agents>, (typeof columns)[number]>>((db, $) =>
  db
    .selectFrom('agents')
    .select([...columns])
    .where('account_id', '=', $.account)
    .where('id', '=', $.id),
);

/** Reads an agent for answering; undefined when the account has no such agent. */
export async function findAnsweringAgent(db: Db, accountId: string, id: string): Promise<AnsweringAgent | undefined> {
  const [row] = await oneAgent(db, { account: accountId, id });
  return row && agents.decode(row);
}
