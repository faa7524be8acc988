import { InterfaceError } from '../../../client/errors.ts';
import { listSubAccounts } from '../../../contract/areas/accounts/endpoints.ts';
import { listAgents } from '../../../contract/areas/agents/endpoints.ts';
import { listCampaigns } from '../../../contract/areas/campaigns/endpoints.ts';
import { getMe } from '../../../contract/areas/whoami/endpoints.ts';
import type { Targets } from '../../connection/targets.ts';
import type { Session } from '../../verb/noun.ts';
import { type GlobalOptions, selectsFromAnswer } from '../../global-options.ts';
import { nameColumns, type Named, namedKinds, type NamedSeries, other, type Series } from './rows.ts';

/** Whether `--fields` names one of these columns. */
export function selectsNames({ fields = 'all' }: GlobalOptions): boolean {
  return fields !== 'all' && fields.some((field) => nameColumns.includes(field));
}

/** Whether rows have these columns. JSON, YAML and expressions use the answer of the interface. */
export function showsNames(globals: GlobalOptions): boolean {
  const { fields = 'all', output } = globals;
  if (fields !== 'all') return selectsNames(globals);
  return !selectsFromAnswer(globals) && output !== 'json' && output !== 'yaml';
}

const readNames = {
  campaign: async (targets: Targets) => await (await targets.client()).all(listCampaigns, {}),
  agent: async (targets: Targets) => (await (await targets.client()).call(listAgents, { query: { fields: 'name' } })).agents,
  /** An agency moves credits to and from its sub-accounts, and these with the agency. */
  transfer_account: async (targets: Targets) => {
    const agency = await (await targets.forAccount(undefined)).client();
    const isOfAgency = targets.resolve().subAccountId === undefined;
    return isOfAgency ? await agency.all(listSubAccounts, {}) : [(await agency.call(getMe, {})).user];
  },
};

/** Why names cannot be read, by the status of the answer. Not every service lists campaigns. */
const whyUnnamed: Readonly<Record<number, string>> = { 403: 'this key may not read the names', 404: 'the service does not list the names' };

/** The names of campaigns, agents or accounts by id. If they cannot be read, there are none, and a note says so. */
export async function namesOf(kind: keyof typeof readNames, { targets, notes }: Session): Promise<ReadonlyMap<string, string | null>> {
  try {
    const found = await readNames[kind](targets);
    return new Map(found.map(({ id, name }) => [id, name ?? null]));
  } catch (error) {
    const reason = error instanceof InterfaceError ? whyUnnamed[error.status] : undefined;
    if (reason === undefined) throw error;
    notes.say(`The ${kind.replace('transfer_', '')}s are shown by id: ${reason}.`);
    return new Map();
  }
}

/** The names for what a series is grouped by. */
async function namesIn({ group_by: groups }: Series, session: Session): Promise<NonNullable<NamedSeries['names']>> {
  const names = new Map<Named, ReadonlyMap<string, string | null>>();
  for (const kind of namedKinds) if (groups.includes(kind)) names.set(kind, await namesOf(kind, session));
  return names;
}

/** Adds the names of campaigns and agents to a series, as columns beside their ids. */
export async function withNamesBeside(answer: Series, session: Session): Promise<NamedSeries> {
  return showsNames(session.globals) ? { ...answer, names: await namesIn(answer, session) } : answer;
}

/** The name of figures without a campaign or an agent. */
const none = '(none)';

/**
 * Replaces the ids of campaigns and agents in a series by names. Ids without a name are kept, and so are all of a kind that the
 * key may not read; if a name is not unique, the id is added. Figures without a campaign or an agent have the name `(none)`.
 */
export async function nameSeries(answer: Series, session: Session): Promise<Series> {
  const names = new Map([...(await namesIn(answer, session)).values()].flatMap((ofKind) => [...ofKind]));
  // A campaign can have a name that means something else here.
  const uses = Map.groupBy([...names.values(), none, other], (name) => name);
  const toName = (id: string | null | undefined) => {
    if (id === null || id === undefined) return none;
    const name = names.get(id) ?? null;
    if (name === null) return id;
    return uses.get(name)?.length === 1 ? name : `${name} (${id})`;
  };
  return {
    ...answer,
    series: answer.series.map((series) => {
      const { campaign, agent } = series.key;
      const key = {
        ...series.key,
        ...(campaign !== undefined && { campaign: toName(campaign) }),
        ...(agent !== undefined && { agent: toName(agent) }),
      };
      return { ...series, key };
    }),
  };
}
