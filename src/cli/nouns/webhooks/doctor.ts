import { InterfaceError, NetworkError } from '../../../client/errors.ts';
import { getHealth } from '../../../contract/areas/health/endpoints.ts';
import { listEventNames } from '../../../contract/areas/webhooks/endpoints.ts';
import { inParallel } from '../../../client/in-parallel.ts';
import type { Options, Session } from '../../command/noun.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { type Result, wholeList } from '../../output/result.ts';
import { readLastAnswer } from '../../receivers/deliveries.ts';
import {
  isUnhealthy,
  readReceiver,
  readReceivers,
  type Receiver,
  receiverStates,
  stateOf,
  type Webhook,
  withPaused,
} from '../../receivers/health.ts';
import { type Check, examine } from './checks.ts';
import { commandFor } from './command-line.ts';

/** Maximum number of receivers that are examined in parallel. Each can take as long as a delivery: 10 seconds. */
const examinedAtOnce = 4;

/** The checks whose remedy resumes deliveries. */
const resuming: readonly string[] = ['auto-disable', 'sub-accounts'];

/** A check for output. */
export interface CheckRow extends Omit<Check, 'remedy'> {
  /** The name of the webhook; null for a finding about all webhooks. */
  readonly webhook: string | null;
  readonly url: string | null;
  /** Whether `--fix` applied the remedy. */
  readonly fixed?: boolean;
}

/**
 * Examines a webhook and its receiver, or all receivers that need attention. With `--fix`, applies the remedies that the user
 * accepts. The exit code is 1 if something is broken, or a remedy was declined.
 * @param chosen null for all receivers
 * @throws CliError 2 if `--fix` needs confirmation but there is no terminal
 */
export async function diagnose(session: Session, chosen: Webhook | null, { fix, dryRun }: Options): Promise<Result> {
  if (fix && !dryRun) requireAnswers(session);
  const { targets, world } = session;
  const client = await targets.client();
  const [all, { events }] = await Promise.all([
    chosen ? readReceiver(client, chosen).then((receiver) => [receiver]) : readReceivers(session),
    client.call(listEventNames, {}),
  ]);
  const receivers = (await withPaused(client, all)).toSorted((a, b) => badness(a) - badness(b));
  const examined = chosen ? receivers : receivers.filter((receiver) => isUnhealthy(stateOf(receiver)));
  const readAnswer = await answerReader(session, examined.length);
  const rows = await inParallel(examined, examinedAtOnce, async (receiver) => {
    const { webhook } = receiver;
    const said = await readAnswer(receiver);
    const command = (verb: string, options?: string) => commandFor(session, `webhooks ${verb}`, webhook, options);
    const checks = await examine(receiver, { client, now: world.now, events, said, command });
    return checks.map((check) => ({ webhook: webhook.name, url: webhook.url, ...check }));
  });
  const { found, isRefused } = await applyRemedies(session, rows.flat(), fix === true);
  const isBroken = isRefused || found.some(({ status, fixed }) => status === 'failed' && fixed !== true);
  const healthy = receivers.filter((receiver) => !examined.includes(receiver));
  const rest: CheckRow = {
    webhook: null,
    url: null,
    check: 'receivers',
    status: 'ok',
    finding: describeRest(healthy, examined),
    fix: null,
  };
  return { ...wholeList('checks', chosen ? found : [...found, rest]), ...(isBroken && { exitCode: exitCodes.failed }) };
}

function requireAnswers({ globals, world }: Session): void {
  if (globals.yes || (world.stdin.isTTY && world.stderr.isTTY)) return;
  throw usageError('--fix asks before each remedy, and there is no terminal to ask on', 'Add --yes to carry out every remedy.');
}

function badness(receiver: Receiver): number {
  return receiverStates.indexOf(stateOf(receiver));
}

/** Returns a function that reads a receiver's last response. Without a sandbox, the response is unknown. */
async function answerReader({ targets }: Session, count: number): Promise<(receiver: Receiver) => Promise<string | null>> {
  const sandbox = count > 0 ? await targets.sandboxAtHand() : null;
  if (!sandbox) return async () => null;
  const { account_id: accountId } = await (await targets.client()).call(getHealth, {});
  return async (receiver) => (receiver.health?.last_failure ? await readLastAnswer(sandbox, accountId, receiver) : null);
}

/** Applies the remedies that the user accepts, starting with those of failures, and prints the results. */
async function applyRemedies(session: Session, checks: readonly (CheckRow & Pick<Check, 'remedy'>)[], isAsked: boolean) {
  const outcomes = new Map<unknown, boolean>();
  const asked = isAsked ? checks.toSorted((a, b) => Number(b.status === 'failed') - Number(a.status === 'failed')) : [];
  // While a receiver still fails, resumed deliveries would only be paused again.
  const isBroken = (webhook: unknown) =>
    checks.some((each) => each.webhook === webhook && each.check === 'delivery' && each.status === 'failed');
  for (const check of asked)
    if (check.remedy && !(resuming.includes(check.check) && isBroken(check.webhook)) && (await accepts(session, check)))
      outcomes.set(check, await isDone(session, check, check.remedy));
  const found = checks.map((check): CheckRow => {
    const { remedy: _, ...row } = check;
    return isAsked && row.status !== 'ok' ? { ...row, fixed: outcomes.get(check) ?? false } : row;
  });
  return { found, isRefused: [...outcomes.values()].includes(false) };
}

/** Asks with the first sentence of the finding; the rest is shown afterwards. */
async function accepts(session: Session, { finding, fix }: CheckRow): Promise<boolean> {
  const [sentence] = finding.split(/(?<=\.) /);
  try {
    await session.confirm(`${sentence} Run \`${fix}\`?`);
    return true;
  } catch (error) {
    if (error instanceof CliError && error.code === 'declined') return false;
    throw error;
  }
}

async function isDone({ notes }: Session, { fix }: CheckRow, remedy: () => Promise<unknown>): Promise<boolean> {
  try {
    await remedy();
    notes.say(`Done: ${fix}`);
    return true;
  } catch (error) {
    if (!(error instanceof InterfaceError || error instanceof NetworkError)) throw error;
    notes.say(`Not done: ${fix}: ${error.message}`);
    return false;
  }
}

/** A sentence about the receivers that were not examined. */
function describeRest(healthy: readonly Receiver[], examined: readonly Receiver[]): string {
  if (healthy.length + examined.length === 0) return 'The account has no webhooks.';
  if (healthy.length === 0) return 'Every receiver needs attention.';
  const states = healthy.map(stateOf);
  const counts = receiverStates.flatMap((state) => {
    const count = states.filter((each) => each === state).length;
    return count > 0 ? [`${count} ${state}`] : [];
  });
  const which = examined.length === 0 ? 'No receiver needs attention' : 'The others need nothing';
  return `${which}: ${counts.join(', ')}.`;
}
