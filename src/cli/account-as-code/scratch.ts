import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '../../client/client.ts';
import { addChannel, updateAccount } from '../../contract/areas/sandbox/accounts.ts';
import { holdJobs } from '../../contract/areas/sandbox/jobs.ts';
import { reviewTemplate } from '../../contract/areas/sandbox/templates.ts';
import { iso } from '../../contract/time/instants.ts';
import { execute } from '../../account-as-code/run/execute.ts';
import type { Kept } from '../../account-as-code/run/journal.ts';
import { Journals } from './journals.ts';
import { copiedKinds } from '../../account-as-code/kinds.ts';
import { type Live, readLive } from '../../account-as-code/live.ts';
import { ruleOrder } from '../../account-as-code/referrers.ts';
import type { Blocked, Plan } from '../../account-as-code/plan/plan.ts';
import { configurationOf, withoutDeadReferences } from '../../account-as-code/planner/live-configuration.ts';
import { makePlan } from '../../account-as-code/planner/planner.ts';

/** An embedded service on this machine for rehearsals. */
export interface Scratch {
  readonly client: Client;
  readonly sandbox: Client;
  readonly accountId: string;
  readonly now: () => number;
}

/** More requests than any account needs. */
const unlimited = 1_000_000;

/**
 * Copies the configuration of a live account to an empty one. Jobs are held, so no deliveries or imports leave the machine.
 * @returns the records that could not be copied
 */
export async function loadConfiguration(live: Live, scratch: Scratch): Promise<Blocked[]> {
  const { client, sandbox, accountId } = scratch;
  await sandbox.call(holdJobs, { body: { hold: 'all' } });
  const plan = { ...live.bounds, key_requests_per_minute: unlimited, account_requests_per_minute: unlimited };
  await sandbox.call(updateAccount, { params: { id: accountId }, body: { plan, credits: unlimited } });
  for (const { channel, identity } of channelsOf(live)) {
    const body = { channel: channel as 'chatapp', identity };
    await sandbox.call(addChannel, { params: { id: accountId }, body });
  }
  const empty = await readLive(client, live.records.keys());
  const made = makePlan(configurationOf(withoutDeadReferences(live), copiedKinds), empty, { included: new Set(['sources']) });
  const { results } = await inJournal((journals) => perform(made, empty, scratch, journals));
  await decideTemplates(live, scratch);
  const failed = results
    .filter(({ result }) => result !== 'done')
    .map(({ change: { kind, key }, reason = twinReason }) => ({ kind, key, reason }));
  return [...made.blocked, ...failed];
}

/** Why a record was already there: the copy has no ids to tell records of one name apart. */
const twinReason = 'several records have this name, but a copy can have only one of them';

/** A record that could not be copied, as text. */
export function lostText({ kind, key, reason }: Blocked): string {
  return `${kind} ${key}: ${reason}`;
}

/** The connected channels, and the numbers of channel defaults in case the service does not list channels. */
function channelsOf(live: Live): { channel: string; identity: string }[] {
  const ofDefaults = (live.records.get('defaults') ?? []).flatMap(({ fields: { channel, number } }) =>
    typeof number === 'string' ? [{ channel: String(channel), identity: number }] : [],
  );
  const all = [...(live.channels ?? []), ...ofDefaults];
  return [...new Map(all.map((each) => [`${each.channel}\0${each.identity}`, each])).values()];
}

/** Gives templates the review status that they have in the account. */
async function decideTemplates(live: Live, { client, sandbox, accountId }: Scratch): Promise<void> {
  const wanted = new Map(
    (live.records.get('templates') ?? []).map(({ fields, row }) => [`${String(fields.name)}\0${String(fields.language)}`, row.status]),
  );
  if (wanted.size === 0) return;
  const { records } = await readLive(client, ['templates']);
  for (const { id, fields } of records.get('templates') ?? []) {
    const status = wanted.get(`${String(fields.name)}\0${String(fields.language)}`);
    if (status === 'approved' || status === 'rejected')
      await sandbox.call(reviewTemplate, { params: { id: accountId, templateId: id }, body: { outcome: status } });
  }
}

/** Carries out a plan on the scratch account, with a journal. */
export async function perform(plan: Plan, live: Live, { client, now }: Scratch, journals: Journals, kept?: Kept) {
  const journal = journals.begin({
    run: journals.nextRun(),
    at: iso(now()),
    account: plan.account,
    undoes: null,
    rules: await ruleOrder(client, plan, live),
  });
  try {
    return await execute(plan, { client, live, journal, now, keepSecret: () => {}, ...(kept && { kept }) });
  } finally {
    journal.close();
  }
}

/** Calls `work` with temporary journals, which are removed afterwards. */
export async function inJournal<Value>(work: (journals: Journals) => Promise<Value>): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), 'msgctl-rehearsal-'));
  try {
    return await work(new Journals(folder, 'scratch', (path) => mkdirSync(path, { recursive: true })));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
