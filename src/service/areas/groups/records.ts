import { fold } from '../../../contract/text/fold.ts';
import { nameTaken } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import type { Row } from '../../store/table.ts';
import { kbGroups } from '../faqs/table.ts';

type Group = Row<typeof kbGroups>;

const taken = (name: string) => nameTaken(`A knowledge group named '${name}' already exists`);

/** The fields of a group that requests set. */
interface Fields {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
}

/** Creates a group. @throws ApiError 409 when another group has the name */
export async function createGroup(db: Db, accountId: string, fields: Fields & { readonly name: string }, now: number): Promise<Group> {
  const { name, description = null } = fields;
  const row = { name, folded_name: fold(name), description };
  const group = await kbGroups.createUnless('on conflict (account_id, folded_name) do nothing', db, accountId, row, now);
  if (!group) throw taken(name);
  return group;
}

/** Changes a group. @throws ApiError 404 when the account has no such group, 409 when another one has the name */
export async function updateGroup(db: Db, accountId: string, id: string, { name, description }: Fields, now: number): Promise<Group> {
  await kbGroups.require(db, accountId, id);
  if (name !== undefined) await checkFree(db, accountId, id, name);
  const change = { ...(name !== undefined && { name, folded_name: fold(name) }), ...(description !== undefined && { description }) };
  return await kbGroups.change(db, accountId, id, change, now);
}

async function checkFree(db: Db, accountId: string, id: string, name: string): Promise<void> {
  const other = await db
    .selectFrom('kb_groups')
    .select('id')
    .where('account_id', '=', accountId)
    .where('folded_name', '=', fold(name))
    .executeTakeFirst();
  if (other && other.id !== id) throw taken(name);
}

/** Groups as answers show them. */
export async function groupRecords(db: Db, groups: readonly Group[]) {
  const ids = JSON.stringify(groups.map(({ id }) => id));
  const [counts, agents, campaigns] = await Promise.all([countsOf(db, { ids }), agentsOf(db, { ids }), campaignsOf(db, { ids })]);
  const faqCounts = new Map(counts.map(({ group_id: id, count }) => [id, count]));
  const usersOf = (users: readonly GroupUser[], group: Group) =>
    users.filter((user) => user.group_id === group.id && user.account_id === group.account_id).map(({ id }) => id);
  return groups.map((group) => {
    const { created_at, updated_at, ...fields } = kbGroups.show(group);
    return {
      ...fields,
      faq_count: faqCounts.get(group.id) ?? 0,
      agent_ids: usersOf(agents, group),
      campaign_ids: usersOf(campaigns, group),
      created_at,
      updated_at,
    };
  });
}

/** A group as answers show it. */
export async function groupRecord(db: Db, group: Group) {
  const [record] = await groupRecords(db, [group]);
  return record as NonNullable<typeof record>;
}

const countsOf = prepared<{ ids: string }, { group_id: string; count: number }>((db, $) =>
  db
    .selectFrom('faq_groups')
    .select((eb) => ['group_id', eb.fn.countAll<number>().as('count')])
    .where(isAmong(db, 'group_id', $.ids))
    .groupBy('group_id'),
);

/** An agent or a campaign that a group is applied to, and its account, which is another one while it is being deleted. */
interface GroupUser {
  readonly group_id: string;
  readonly id: string;
  readonly account_id: string;
}

const agentsOf = prepared<{ ids: string }, GroupUser>((db, $) =>
  db
    .selectFrom('agent_groups')
    .innerJoin('agents', 'agents.id', 'agent_groups.agent_id')
    .select(['group_id', 'agents.id', 'agents.account_id'])
    .where(isAmong(db, 'group_id', $.ids))
    .orderBy('agents.seq'),
);

const campaignsOf = prepared<{ ids: string }, GroupUser>((db, $) =>
  db
    .selectFrom('campaign_groups')
    .innerJoin('campaigns', 'campaigns.id', 'campaign_groups.campaign_id')
    .select(['group_id', 'campaigns.id', 'campaigns.account_id'])
    .where(isAmong(db, 'group_id', $.ids))
    .orderBy('campaigns.seq'),
);
