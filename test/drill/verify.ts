import { setTimeout as sleep } from 'node:timers/promises';
import { request, startingCredits } from '../support/accounts.ts';
import type { Ready } from '../support/processes.ts';
import type { Account, Accounts } from './accounts.ts';
import type { Attempts } from './attempts.ts';
import type { Deliveries } from './deliveries.ts';
import type { Load } from './load.ts';
import type { Stage } from './stage.ts';

/** A check, with the problems it found. */
export interface Check {
  readonly name: string;
  readonly problems: readonly string[];
}

/** Time limit for the last deliveries, in milliseconds. A lease that was not released lasts a minute. */
const deliveryLimit = 90_000;

/** A check that fails if there is a problem. */
export function check(name: string, problem: string | null): Check {
  return { name, problems: problem === null ? [] : [problem] };
}

/** Compares the records on a server, and the deliveries, with what was acknowledged. */
export async function verify(
  { base_url: origin, sandbox_url: sandbox, sandbox_token: token }: Ready,
  { accounts, load, deliveries, stage }: { accounts: Accounts; load: Load; deliveries: Deliveries; stage: Stage },
): Promise<Check[]> {
  await waitForDeliveries(sandbox, token);
  const stored: Stored = { messages: [], tags: [], contacts: [], labels: [] };
  const checks: Check[] = [];
  const created: string[] = [];
  for (const account of accounts.all) {
    const contacts = await readAll(origin, account, '/contacts', 'contacts');
    for (const contact of contacts) {
      stored.contacts.push(`${account.id} ${contact.phone_number as string}`);
      created.push(`${account.id} ${contact.id as string}`);
      for (const tag of contact.tags as { id: string }[]) stored.labels.push(`${account.id} ${contact.id as string} ${tag.id}`);
    }
    const tags = await readAll(origin, account, '/tags', 'tags');
    for (const tag of tags) stored.tags.push(`${account.id} ${tag.name as string}`);
    const labelled = tags.reduce((sum, tag) => sum + (tag.contact_count as number), 0);
    const labels = contacts.reduce((sum, contact) => sum + (contact.tags as unknown[]).length, 0);
    checks.push(check('tags count their contacts', labelled === labels ? null : `${account.id}: ${labelled} counted, ${labels} there`));
    const messages = await readMessages(origin, account, contacts);
    stored.messages.push(...messages.map((text) => `${account.id} ${text}`));
    const spent = deliveries.spent.get(account.id)?.size ?? 0;
    checks.push(check('each charge is delivered', spent === messages.length ? null : `${account.id}: ${spent} of ${messages.length}`));
    const { balance } = (await request(`${origin}/users/me/credits`, account.key, 'GET')) as { balance: number };
    const moved = account === accounts.agency ? startingCredits - balance - messages.length : 0;
    const isExact = account === accounts.agency || startingCredits - balance === messages.length;
    checks.push(check('each message is charged once', isExact ? null : `${account.id}: ${messages.length} messages, balance ${balance}`));
    if (account === accounts.agency) checks.push(await checkTransfers(origin, accounts, load, moved));
    checks.push(await checkLedger(stage, account.id, balance));
  }
  for (const kind of ['messages', 'tags', 'contacts', 'labels'] as const) checks.push(...compare(kind, load[kind], stored[kind]));
  const missing = created.filter((contact) => !deliveries.contacts.has(contact));
  checks.push({ name: 'each new contact is delivered', problems: missing });
  checks.push(check('all deliveries are signed', deliveries.unsigned === 0 ? null : `${deliveries.unsigned} are not`));
  return merge(checks);
}

type Stored = Record<'messages' | 'tags' | 'contacts' | 'labels', string[]>;

function compare(kind: string, attempts: Attempts, stored: readonly string[]): Check[] {
  const { lost, doubled, unexpected } = attempts.compare(stored);
  return [
    { name: `no acknowledged ${kind} are lost`, problems: lost },
    { name: `no ${kind} are doubled`, problems: doubled },
    { name: `no refused ${kind} are stored`, problems: unexpected },
  ];
}

/** The client must have received what the agency gave: at least the acknowledged transfers, at most all attempted ones. */
async function checkTransfers(origin: string, { agency, client }: Accounts, { transfers }: Load, given: number): Promise<Check> {
  const { sub_account: record } = (await request(`${origin}/subaccounts/${client}`, agency.key, 'GET')) as {
    sub_account: { balance: number };
  };
  const most = transfers.acknowledged + transfers.unknown;
  const isRight = record.balance === given && given >= transfers.acknowledged && given <= most;
  const problem = `${given} given, ${record.balance} received, ${transfers.acknowledged} to ${most} expected`;
  return check('credits move once and completely', isRight ? null : problem);
}

async function checkLedger(stage: Stage, account: string, balance: number): Promise<Check> {
  const [row] = await stage.query(`select sum(millionths) as total from credit_ledger where account_id = '${account}'`);
  const sum = Number(row?.total) / 1_000_000;
  return check('the balance is the sum of the ledger', sum === balance ? null : `${account}: balance ${balance}, ledger ${sum}`);
}

async function waitForDeliveries(sandbox: string, token: string | null): Promise<void> {
  const deadline = performance.now() + deliveryLimit;
  while (performance.now() < deadline) {
    const { waiting } = (await request(`${sandbox}/jobs`, token, 'GET')) as { waiting: Record<string, number> };
    if (!waiting.webhook_delivery) return;
    await sleep(100);
  }
}

async function readMessages(origin: string, account: Account, contacts: readonly Record<string, unknown>[]): Promise<string[]> {
  const left = contacts.filter((contact) => contact.last_message_at !== null).map(({ id }) => id as string);
  const texts: string[] = [];
  const readers = Array.from({ length: 16 }, async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop())
      for (const { body } of await readAll(origin, account, `/contacts/${id}/messages`, 'messages')) texts.push(body as string);
  });
  await Promise.all(readers);
  return texts;
}

async function readAll(origin: string, { key }: Account, path: string, field: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  let cursor: string | null = null;
  do {
    const from: string = cursor === null ? '' : `&cursor=${cursor}`;
    const page = await request(`${origin}${path}?limit=100${from}`, key, 'GET');
    rows.push(...(page[field] as Record<string, unknown>[]));
    cursor = page.next_cursor as string | null;
  } while (cursor !== null);
  return rows;
}

/** Merges the checks that have the same name. */
function merge(checks: readonly Check[]): Check[] {
  const problems = new Map<string, string[]>();
  for (const { name, problems: found } of checks) problems.set(name, [...(problems.get(name) ?? []), ...found]);
  return [...problems].map(([name, found]) => ({ name, problems: found }));
}
