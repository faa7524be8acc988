import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '../client/client.ts';
import { addChannel, updateAccount } from '../contract/areas/sandbox/accounts.ts';
import { holdJobs } from '../contract/areas/sandbox/jobs.ts';
import { reviewTemplate } from '../contract/areas/sandbox/templates.ts';
import type { Configuration, FileRecord } from './files/configuration.ts';
import { execute, isOpen } from './run/execute.ts';
import { type Run, Journals } from './run/journal.ts';
import { type KindName, kindNames } from './kind.ts';
import { mapReferences } from './references.ts';
import { kinds } from './kinds.ts';
import { type Live, readLive } from './live.ts';
import { ruleOrder } from './referrers.ts';
import type { Blocked, Plan } from './plan/plan.ts';
import { type IdInCopy, idsInCopy, planOnCopy, unlikePlan } from './plan/plan-on-copy.ts';
import { byPrecedence, overlap, rulesByPrecedence } from './planner/precedence.ts';
import { makePlan } from './planner/planner.ts';
import { changedKinds, kindsReferringToCreated, undoPlan } from './undo/undo.ts';
import { inOrder, stableText } from './values.ts';

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
  const made = makePlan(configurationOf(withoutDeadReferences(live)), empty, { salt: 'scratch', with: new Set(['sources']) });
  const { results } = await inJournal((journals) => perform(made, empty, scratch, journals));
  await decideTemplates(live, scratch);
  const failed = results.filter(({ result }) => result !== 'done').map(({ change: { kind, key }, reason = '' }) => ({ kind, key, reason }));
  return [...made.blocked, ...failed];
}

/** A record that could not be copied, as text. */
export function lostText({ kind, key, reason }: Blocked): string {
  return `${kind} ${key}: ${reason}`;
}

/** The records without lists of deleted records, which a copy cannot have. */
function withoutDeadReferences(live: Live): Live {
  const records = [...live.records].map(
    ([name, own]) =>
      [
        name,
        own.map((each) => ({
          ...each,
          fields: mapReferences(kinds[name], each.fields, (_, text) => (each.deadReferences?.includes(text) ? undefined : text)),
        })),
      ] as const,
  );
  return { ...live, records: new Map(records) };
}

/** The connected channels, and the numbers of channel defaults in case the service does not list channels. */
function channelsOf(live: Live): { channel: string; identity: string }[] {
  const ofDefaults = (live.records.get('defaults') ?? []).flatMap(({ fields: { channel, number } }) =>
    typeof number === 'string' ? [{ channel: String(channel), identity: number }] : [],
  );
  const all = [...(live.channels ?? []), ...ofDefaults];
  return [...new Map(all.map((each) => [`${each.channel}\0${each.identity}`, each])).values()];
}

/** The live records as a configuration. */
function configurationOf(live: Live): Configuration {
  const place = { file: 'live', line: 1, column: 1 };
  const records = [...live.records].flatMap(([kind, own]) =>
    kind === 'keys'
      ? []
      : (kind === 'rules' ? rulesByPrecedence(live) : own).map(({ fields }): FileRecord => ({ kind, fields, placeOf: () => place })),
  );
  const all = new Set(kindNames.filter((name) => name !== 'keys'));
  return { records, kinds: all, prune: new Set(), notes: [] };
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

/** The result of a rehearsal. */
export interface Rehearsal {
  readonly isFine: boolean;
  /** One sentence for each check. */
  readonly report: readonly string[];
}

/**
 * Applies a configuration to a copy of the live account. A second diff must be empty, and undo must restore the copy.
 * @param whole the complete configuration, because records that are not in the files can conflict with them
 * @param names the kinds that the plan is made from. Records of other kinds that cannot be copied are only reported.
 * @param plan a function that makes the plan for the copy, or a saved plan for the account
 */
export async function rehearse(
  whole: Live,
  names: readonly KindName[],
  plan: Plan | ((live: Live, idOf: IdInCopy) => Plan),
  scratch: Scratch,
): Promise<Rehearsal> {
  const live = withoutDeadReferences(whole);
  const all = [...live.records.keys()];
  const report: string[] = [];
  const check = (isFine: boolean, done: string, failed: string) => {
    report.push(isFine ? `ok: ${done}` : `FAILED: ${failed}`);
    return isFine;
  };
  const notLoaded = await loadConfiguration(live, scratch);
  const lost = notLoaded.filter(({ kind }) => names.includes(kind));
  const others = notLoaded.filter((each) => !lost.includes(each));
  const copy = await readLive(scratch.client, all);
  const isEqual = check(
    lost.length === 0 && isCopy(copy, live, others.length === 0 ? all : names),
    'the copy is what the live account is',
    `the copy differs from the live account${lost.length > 0 ? `: ${lost.map(lostText).join('; ')}` : ''}`,
  );
  if (!isEqual) return { isFine: false, report };
  report.push(...others.map((each) => `not in the copy: ${lostText(each)}`));
  const first = await readLive(scratch.client, names);
  const isOfFiles = typeof plan === 'function';
  const copyOf = { copy: first, original: live };
  const idOf = idsInCopy(copyOf);
  const made = isOfFiles ? plan(first, idOf) : planOnCopy(plan, copyOf);
  return await inJournal(async (journals) => {
    const { results } = await perform(made, first, scratch, journals);
    const failed = results.filter(isOpen);
    const isApplied = check(
      failed.length === 0,
      made.changes.length === 1 ? '1 change was made' : `${made.changes.length} changes were made`,
      failed.map(({ change, reason }) => `${change.kind} ${change.key}: ${reason ?? ''}`).join('; '),
    );
    const after = await readLive(scratch.client, names);
    const open = isOfFiles ? plan(after, idOf).changes : unlikePlan(made, after);
    const isSettled = check(
      open.length === 0,
      isOfFiles ? 'a second diff is empty' : 'the records are what the plan says',
      isOfFiles
        ? `a second diff has ${open.length} ${open.length === 1 ? 'change' : 'changes'}`
        : `not as the plan says: ${open.map(({ kind, key }) => `${kind} ${key}`).join(', ')}`,
    );
    for (const { channel, number, before, after: then } of made.answers)
      report.push(`${channel}${number === null ? '' : ` ${number}`}: ${before ?? 'nobody'} → ${then ?? 'nobody'} answers`);
    const [run] = journals.runs(made.account) as [Run | undefined];
    if (run && made.changes.length > 0) {
      const changed = await readLive(scratch.client, changedKinds(run), kindsReferringToCreated(run));
      const { plan: back, members } = undoPlan(run, changed);
      await perform(back, changed, scratch, journals, members);
    }
    const restored = await readLive(scratch.client, all);
    const isRestored = check(isCopy(restored, copy, all), 'undo restores the account', 'undo does not restore the account');
    const cannot = made.changes.some(({ undo }) => undo === 'none' || undo === 'partial');
    return { isFine: isApplied && isSettled && (isRestored || cannot), report };
  });
}

/** Whether two accounts have the same configuration, apart from ids. Where rules overlap, the same ones must win. */
function isCopy(copy: Live, original: Live, names: readonly KindName[]): boolean {
  if (textOf(copy, names) !== textOf(original, names)) return false;
  const decided = new Set(decidedPairs(copy));
  // A service that does not report the order of two rules leaves it undecided.
  return decidedPairs(original).every((pair) => decided.has(pair));
}

/** The pairs of overlapping rules, the winning one first. */
function decidedPairs(live: Live): string[] {
  const rules = rulesByPrecedence(live);
  return rules.flatMap((winner, index) =>
    rules
      .slice(index + 1)
      .filter((loser) => overlap(winner.fields, loser.fields) && byPrecedence(winner.row, loser.row) !== 0)
      .map((loser) => `${stableText(winner.fields)}\n${stableText(loser.fields)}`),
  );
}

/** The configuration of an account as text, without ids. */
function textOf(live: Live, names: readonly KindName[]): string {
  return names
    .map(
      (name) =>
        `${name}\n${(live.records.get(name) ?? [])
          .map(({ fields }) => stableText(fields))
          .sort(inOrder)
          .join('\n')}`,
    )
    .join('\n');
}

async function perform(
  plan: Plan,
  live: Live,
  { client, now }: Scratch,
  journals: Journals,
  members?: ReadonlyMap<number, readonly string[]>,
) {
  const journal = journals.begin({
    run: journals.nextRun(),
    at: new Date(now()).toISOString(),
    account: plan.account,
    undoes: null,
    rules: await ruleOrder(client, plan, live),
  });
  try {
    return await execute(plan, { client, live, journal, now, keepSecret: () => {}, ...(members && { members }) });
  } finally {
    journal.close();
  }
}

/** Calls `work` with temporary journals, which are removed afterwards. */
async function inJournal<Value>(work: (journals: Journals) => Promise<Value>): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), 'msgctl-rehearsal-'));
  try {
    return await work(new Journals(folder, 'scratch', (path) => mkdirSync(path, { recursive: true })));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
