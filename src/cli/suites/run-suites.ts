import type { Client } from '../../client/client.ts';
import { listAgents } from '../../contract/areas/agents/endpoints.ts';
import { listChannels } from '../../contract/areas/channels/endpoints.ts';
import { numberChannels } from '../../contract/areas/channels/names.ts';
import { deleteRule, listRules, setDefault } from '../../contract/areas/routing/endpoints.ts';
import { addChannel } from '../../contract/areas/sandbox/accounts.ts';
import { setClock } from '../../contract/areas/sandbox/clock.ts';
import { fold } from '../../contract/text/fold.ts';
import { iso } from '../../contract/time/instants.ts';
import type { Scratch } from '../account-as-code/scratch.ts';
import { readModelSettings } from '../connection/model-settings.ts';
import { CliError, exitCodes } from '../errors.ts';
import type { Session } from '../verb/noun.ts';
import { copyAccount } from './copy.ts';
import { FakeTools } from './fake-tools.ts';
import { type CaseResult, runCase, type Stage } from './run-case.ts';
import { type Suite, suiteError, type TestCase } from './suite.ts';

/** How suites are run. */
export interface RunOptions {
  /** The agent that answers all cases that name none; null for routing. */
  readonly agent: string | null;
  /** Whether the draft of an agent is tested instead of what is live. */
  readonly usesDraft: (agentId: string) => boolean;
  /** How often each case is run, and how often it must pass. */
  readonly repeat: number;
  readonly atLeast: number;
  /** Changes the copy of the account before it is tested. */
  readonly change?: (scratch: Scratch) => Promise<void>;
}

/** What came of suites. */
export interface SuiteResults {
  /** In the order of the files. */
  readonly results: readonly CaseResult[];
  /** What the copy of the account lacks. */
  readonly lost: readonly string[];
}

/** Runs suites on copies of the account in memory. Nothing is sent, called or charged for the account itself. */
export async function runSuites(session: Session, client: Client, suites: readonly Suite[], options: RunOptions): Promise<SuiteResults> {
  const cases = suites.flatMap((suite) => suite.cases);
  const results = new Map<TestCase, CaseResult>();
  const lost = new Set<string>();
  // Each agent that is to answer whatever routing says has a copy of its own.
  for (const [agent, some] of Map.groupBy(cases, (each) => each.agent ?? options.agent)) {
    const ran = await runOnCopy(session, client, agent, some, suites, options);
    for (const result of ran.results) results.set(result.tested, result);
    for (const each of ran.lost) lost.add(each);
  }
  return { results: cases.map((each) => results.get(each) as CaseResult), lost: [...lost] };
}

async function runOnCopy(
  session: Session,
  client: Client,
  agent: string | null,
  cases: readonly TestCase[],
  suites: readonly Suite[],
  options: RunOptions,
) {
  const { world, targets } = session;
  const tools = new FakeTools();
  await tools.learn(client);
  const clocks = cases.flatMap(({ clock }) => clock ?? []);
  const model = readModelSettings(world.env);
  const clock = clocks.length > 0 ? Math.min(world.now(), ...clocks) : undefined;
  const opened = await targets.openScratch({ model, clock, toolServers: tools.servers, toolRunner: tools.runner });
  try {
    const scratch = { ...opened, now: world.now };
    const lost = await copyAccount(client, scratch, options.usesDraft, options.change);
    await tools.teach(scratch.client);
    const { agents } = await scratch.client.call(listAgents, {});
    const stage = { scratch, tools, agents: new Map(agents.map(({ id, name }) => [id, name ?? id])) };
    await connectChannels(scratch, cases);
    if (agent !== null) await direct(stage, agent, cases, suites);
    return { results: await runCases(stage, cases, options), lost };
  } finally {
    await opened.client.close();
  }
}

/** Runs cases in the order of their clocks, because a clock only goes forward. */
async function runCases(stage: Stage, cases: readonly TestCase[], { repeat, atLeast }: RunOptions): Promise<CaseResult[]> {
  const start = stage.scratch.now();
  // Without any clock, that of the copy runs.
  const isTimed = cases.some(({ clock }) => clock !== null);
  const ordered = cases.toSorted((one, other) => (one.clock ?? start) - (other.clock ?? start));
  const results: CaseResult[] = [];
  let number = 0;
  for (const tested of ordered) {
    if (isTimed) await stage.scratch.sandbox.call(setClock, { body: { now: iso(tested.clock ?? start) } });
    const runs: CaseResult[] = [];
    for (let run = 0; run < repeat; run++) runs.push(await runCase(stage, tested, ++number));
    const passed = runs.filter(({ isPassed }) => isPassed);
    results.push((passed.length >= atLeast ? passed[0] : runs.find(({ isPassed }) => !isPassed)) as CaseResult);
  }
  return results;
}

/** The error for an agent that the account does not have: at its places in the suites, or else of the command. */
function unknownAgent(wanted: string, cases: readonly TestCase[], suites: readonly Suite[]): CliError {
  const text = `The account has no agent ${wanted}`;
  const suite = suites.find(({ cases: own }) => own.some((each) => each.agent === wanted));
  if (!suite) return new CliError(exitCodes.notFound, 'not_found', text);
  const named = cases.filter((each) => suite.cases.includes(each));
  return suiteError(
    suite.file,
    named.map((each) => ({ at: suite.placeOfAgent(each), text })),
  );
}

/** Lets one agent answer every channel of the cases, whatever routing says. @throws CliError 2 or 5 for an unknown agent */
async function direct(
  { scratch: { client }, agents }: Stage,
  wanted: string,
  cases: readonly TestCase[],
  suites: readonly Suite[],
): Promise<void> {
  const [agentId] = [...agents].find(([id, name]) => id === wanted || fold(name) === fold(wanted)) ?? [];
  if (agentId === undefined) throw unknownAgent(wanted, cases, suites);
  for (const id of agents.keys()) {
    const { entry_points: rules } = await client.call(listRules, { params: { agentId: id } });
    for (const { id: entryPointId } of rules) await client.call(deleteRule, { params: { entryPointId } });
  }
  for (const channel of new Set(cases.map((each) => each.channel))) await client.call(setDefault, { body: { channel, agent_id: agentId } });
}

/** Connects the channels of the cases that the account has not connected. */
async function connectChannels({ client, sandbox, accountId }: Scratch, cases: readonly TestCase[]): Promise<void> {
  const { channels } = await client.call(listChannels, {});
  const connected = new Set(channels.map(({ channel }) => channel));
  for (const channel of new Set(cases.map((each) => each.channel)).difference(connected)) {
    const identity = numberChannels.has(channel) ? '+14155550199' : 'test';
    await sandbox.call(addChannel, { params: { id: accountId }, body: { channel, identity } });
  }
}
