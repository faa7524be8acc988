import { InterfaceError, NetworkError } from '../../../client/errors.ts';
import { getHealth } from '../../../contract/areas/health/endpoints.ts';
import { listEventNames } from '../../../contract/areas/webhooks/endpoints.ts';
import { inParallel } from '../../../contract/in-parallel.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { type Result, type ResultRow, wholeList } from '../../output/result.ts';
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
import { screenOf } from '../../output/screen.ts';
import { canAsk } from '../../world.ts';
import { sameTarget } from '../../verb/same-target.ts';
import { type Check, checkMissed, type CheckRow, examine, switchedOff } from './checks.ts';
import { commandFor } from './command-line.ts';
import { sentences } from './sentences.ts';

/** Maximum number of receivers that are examined in parallel. Each can take as long as a delivery: 10 seconds. */
const examinedAtOnce = 4;

/** The checks whose remedy resumes deliveries. */
const resuming: readonly string[] = ['auto-disable', 'sub-accounts', 'missed'];

type Examined = CheckRow & Pick<Check, 'remedy'>;

/**
 * Examines a webhook and its receiver, or all receivers that need attention; those that are off are named. With `--fix`, shows
 * the report and applies the remedies that the user accepts. The exit code is 1 if something is broken, or a remedy was refused.
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
  const off = receivers.filter((receiver) => !chosen && stateOf(receiver) === 'off').map(({ webhook }) => offRow(session, webhook));
  const missing = receivers
    .filter((receiver) => !examined.includes(receiver))
    .flatMap((receiver) => {
      const { webhook } = receiver;
      const command = (verb: string, options?: string) => commandFor(session, `webhooks ${verb}`, webhook, options);
      return checkMissed(receiver, { client, command }).map((check) => ({ webhook: webhook.name, url: webhook.url, ...check }));
    });
  const checks = [...rows.flat(), ...off, ...missing];
  const { found, isRefused } = fix ? await applyRemedies(session, checks) : { found: checks.map(withoutRemedy), isRefused: false };
  if (!fix && checks.some(({ remedy }) => remedy)) mentionFix(session, chosen);
  const isBroken = isRefused || found.some(({ status, fixed }) => status === 'failed' && fixed !== true);
  // Those that are off, or have missed events, have a finding of their own.
  const healthy = receivers.filter((receiver) => !examined.includes(receiver) && stateOf(receiver) !== 'off' && receiver.missed === 0);
  const rest: CheckRow = {
    webhook: null,
    url: null,
    check: 'receivers',
    status: 'ok',
    finding: describeRest(healthy, examined, receivers.length),
    fix: null,
  };
  return { ...wholeList('checks', chosen ? found : [...found, rest]), ...(isBroken && { exitCode: exitCodes.failed }) };
}

function requireAnswers({ globals, world }: Session): void {
  if (globals.yes || canAsk(world)) return;
  throw usageError('--fix asks before each fix, but there is no terminal to ask on', 'Add --yes to run every fix.');
}

/** A webhook that is off is not examined, but it may have been forgotten. */
function offRow(session: Session, webhook: Webhook): Examined {
  return { webhook: webhook.name, url: webhook.url, ...switchedOff(commandFor(session, 'webhooks enable', webhook)) };
}

function mentionFix(session: Session, chosen: Webhook | null): void {
  const command = chosen ? commandFor(session, 'webhooks doctor', chosen, '--fix') : `msgctl webhooks doctor --fix${sameTarget(session)}`;
  session.notes.say(['To run these commands, each after a question:', command]);
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

/** What became of a remedy. */
interface Outcome {
  /** Why it was not carried out; null if it was. */
  readonly leftOut: string | null;
  readonly isRefused?: boolean;
}

/** Shows the report, and carries out the remedies that the user accepts, starting with those of failures. */
async function applyRemedies(session: Session, checks: readonly Examined[]) {
  const { world, globals } = session;
  if (!globals.yes)
    world.stderr.write(`${await sentences(checks.map(withoutRemedy) as unknown as ResultRow[], screenOf(world.stderr, world))}\n`);
  const outcomes = new Map<Examined, Outcome>();
  const wrong = checks.filter(({ status }) => status !== 'ok');
  for (const check of wrong.toSorted((a, b) => Number(b.status === 'failed') - Number(a.status === 'failed')))
    outcomes.set(check, await outcomeOf(session, check, checks));
  const found = checks.map((check): CheckRow => {
    const outcome = outcomes.get(check);
    return { ...withoutRemedy(check), ...(outcome && { fixed: outcome.leftOut === null, left_out: outcome.leftOut }) };
  });
  return { found, isRefused: [...outcomes.values()].some((outcome) => outcome.isRefused === true) };
}

function withoutRemedy({ remedy: _, ...row }: Examined): CheckRow {
  return row;
}

async function outcomeOf(session: Session, check: Examined, checks: readonly Examined[]): Promise<Outcome> {
  const { remedy, fix } = check;
  // While a receiver still fails, resumed deliveries would only be paused again.
  const isBroken = checks.some((each) => each.webhook === check.webhook && each.check === 'delivery' && each.status === 'failed');
  if (remedy && !(resuming.includes(check.check) && isBroken))
    return (await accepts(session, check)) ? await carryOut(session, check, remedy) : { leftOut: 'you declined' };
  const leftOut = remedy
    ? 'deliveries would be paused again while the receiver fails'
    : (whyByHand[check.check] ?? 'no command can do this');
  if (fix?.startsWith('msgctl ')) session.notes.say(`Not run: ${fix}: ${leftOut}`);
  return { leftOut };
}

/** Why a remedy is not carried out although it is a command. */
const whyByHand: Readonly<Record<string, string>> = {
  switch: 'the webhook may have been turned off on purpose',
  delivery: 'the receiver must be fixed first',
  missed: 'the webhook must be enabled first',
};

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

async function carryOut({ notes }: Session, { fix }: CheckRow, remedy: () => Promise<unknown>): Promise<Outcome> {
  try {
    await remedy();
    notes.say(`Done: ${fix}`);
    return { leftOut: null };
  } catch (error) {
    if (!(error instanceof InterfaceError || error instanceof NetworkError)) throw error;
    notes.say(`Not done: ${fix}: ${error.message}`);
    return { leftOut: `it was refused: ${error.message}`, isRefused: true };
  }
}

/** A sentence about the receivers without a finding. @param total with those that have one */
function describeRest(healthy: readonly Receiver[], examined: readonly Receiver[], total: number): string {
  if (total === 0) return 'The account has no webhooks.';
  if (healthy.length === 0) return examined.length < total ? 'There are no other receivers.' : 'Every receiver needs attention.';
  const states = healthy.map(stateOf);
  const counts = receiverStates.flatMap((state) => {
    const count = states.filter((each) => each === state).length;
    return count > 0 ? [`${count} ${state}`] : [];
  });
  const which = healthy.length === total ? 'No receiver needs attention' : 'The others need no attention';
  return `${which}: ${counts.join(', ')}.`;
}
