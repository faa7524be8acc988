import { execute, type ChangeResult, type Executed, type Execution } from '../../account-as-code/run/execute.ts';
import type { Kept } from '../../account-as-code/run/journal.ts';
import { copiedKinds } from '../../account-as-code/kinds.ts';
import { type Live, readLive } from '../../account-as-code/live.ts';
import { ruleOrder } from '../../account-as-code/referrers.ts';
import type { Plan } from '../../account-as-code/plan/plan.ts';
import { summary } from '../../account-as-code/plan/text.ts';
import { unsettledSeeds } from '../../account-as-code/run/repetition.ts';
import type { Client } from '../../client/client.ts';
import { keptFor, SeededKeys } from '../../client/request-keys.ts';
import { iso } from '../../contract/time/instants.ts';
import type { Options, Session } from '../verb/noun.ts';
import { sameTarget } from '../verb/same-target.ts';
import { CliError, type ExitCode, exitCodes, usageError } from '../errors.ts';
import { toCliError } from '../explain.ts';
import { withLocks } from '../files/lock.ts';
import { flagOrVariable } from '../global-options.ts';
import { messageLine } from '../output/cell.ts';
import { counted } from '../../contract/text/counted.ts';
import type { Result } from '../output/result.ts';
import { recordLostOutcomes } from './lost-outcomes.ts';
import { type Planned, runJournals } from './planning.ts';
import { shownKey } from './plan-key.ts';
import { planForPeople, planResult } from './result.ts';
import type { Scratch } from './scratch.ts';
import { openSecretsFile, recoverLostSecrets } from './secrets-file.ts';
import { showPlan } from './show-plan.ts';
import { stopOnInterrupt } from './stop-on-interrupt.ts';

/** A plan that is ready to be applied. */
export interface Ready {
  readonly plan: Plan;
  readonly live: Live;
  readonly client: Client;
  /** The id of the run that it undoes; null for an apply. */
  readonly undoes: string | null;
  readonly kept?: Kept;
  readonly planFor?: Planned['planFor'];
  /** Checks what the account would do, after a rehearsal that succeeded. @param change makes the changes to another copy */
  readonly checkCopy?: ((change: (scratch: Scratch) => Promise<void>) => Promise<void>) | undefined;
}

/**
 * Shows a plan, asks for confirmation and applies it.
 * @throws CliError 2 if confirmation is needed but there is no terminal, deletions are not allowed, or secrets would be lost
 */
export async function runPlan(session: Session, ready: Ready, options: Options): Promise<Result> {
  const { plan, live, undoes } = ready;
  const { globals, notes, world } = session;
  // If the reader of stdout closes the pipe, as `head` does, the run must not stop halfway.
  world.outliveReader();
  await recoverLostSecrets(session, ready, options.secretsOut as string | undefined);
  if (undoes === null) recordLostOutcomes(runJournals(session), live);
  if (plan.changes.length === 0) {
    if (options.rehearse === true && ready.checkCopy) await rehearseFirst(session, ready);
    const done = globals.output === 'table' ? undefined : { results: [], run: null };
    return await planResult(plan, session, applyExitCode(plan, []), done);
  }
  if (undoes === null) checkDeletions([plan], options.allowDeletes as number | undefined);
  // With a key that cannot be used, the results of a finished run could not be shown.
  shownKey(session)?.find();
  const secrets = openSecretsFile([plan], options.secretsOut as string | undefined, notes);
  try {
    await showPlan(session, (stream) => planForPeople(plan, session, stream));
    if (options.rehearse === true) await rehearseFirst(session, ready);
    await confirmRun(session, undoes !== null, live.account.name, summary(plan));
    const { run, executed } = await withAccountLocks(session, [plan.account], async (next) => {
      const maxFailures = options.maxFailures as number | undefined;
      const how = { maxFailures, keepSecret: secrets.keep, isStopped: stopOnInterrupt(session) };
      return { run: next, executed: await executeInJournal(session, ready, next, how) };
    });
    const result = await planResult(plan, session, applyExitCode(plan, executed.results), { results: executed.results, run });
    if (executed.wasStopped) return { ...result, failure: stoppedError(session, run, [ready], executed.results) };
    if (undoes === null) tellUndo(session, run, executed.results);
    if (executed.fatal) {
      const failure = toCliError(executed.fatal);
      const [first = '', ...others] = failure.lines;
      notes.always([`The run ended early: ${first}`, ...others]);
      return { ...result, exitCode: failure.exitCode } as Result;
    }
    return secrets.isComplete() ? result : ({ ...result, exitCode: exitCodes.failed } as Result);
  } finally {
    secrets.close();
  }
}

/**
 * Asks for confirmation before a run.
 * @param where the account or the number of accounts
 * @param changes a summary of the changes
 */
export async function confirmRun(session: Session, isUndo: boolean, where: string, changes: string): Promise<void> {
  await session.confirm({ text: `${isUndo ? 'Undo this on' : 'Apply this to'} ${where}? ${changes}`, undo: undoing(session) });
}

/**
 * Calls `work` with the id of a new run, while other commands on this machine cannot write to the accounts.
 * @throws CliError 6 if another command is writing to one of them, and the errors of `work`
 */
export async function withAccountLocks<Value>(
  session: Session,
  accounts: readonly string[],
  work: (run: string) => Promise<Value>,
): Promise<Value> {
  const journals = runJournals(session);
  const accountOf = new Map(accounts.map((account) => [journals.lockOf(account), account]));
  const busyError = (lock: string) =>
    new CliError(exitCodes.conflict, 'conflict', `Another command is writing to the account ${accountOf.get(lock) ?? ''}`, {
      hint: `Wait until it finishes, then make a new plan: this one does not include its changes. If no other command is running, delete ${lock}.`,
    });
  return await withLocks([...accountOf.keys()], busyError, () => work(journals.nextRun()));
}

/** The command that undoes a run, or undoes its undo, on the same accounts. @param run the last run by default */
export function undoing(session: Session, run?: string): string {
  const { accounts, globals, world } = session;
  const several = accounts ? flagOrVariable(globals.subAccount, world.env, 'MSGCTL_SUB_ACCOUNT') : undefined;
  return `\`msgctl undo${run === undefined ? '' : ` ${run}`}${sameTarget(session, several)}\``;
}

/** Prints how to undo an apply that changed something. */
export function tellUndo(session: Session, run: string, results: readonly ChangeResult[]): void {
  if (!results.some(({ result }) => result === 'done')) return;
  session.notes.say(`To undo this, run ${undoing(session, run)}.`);
}

/** The error for an interrupted run, with its progress and how to continue. @param planned the plans that were to be applied */
export function stoppedError(
  session: Session,
  run: string,
  planned: readonly Pick<Ready, 'plan' | 'undoes'>[],
  results: readonly ChangeResult[],
): CliError {
  const changes = planned.reduce((sum, { plan }) => sum + plan.changes.length, 0);
  const done = results.filter(({ result }) => result === 'done').length;
  const isUndo = planned.some(({ undoes }) => undoes !== null);
  const hints = [
    `To make the other changes, run the same \`msgctl ${isUndo ? 'undo' : 'apply'}\` again.`,
    ...(done > 0 && !isUndo ? [`To undo the changes that were made, run ${undoing(session, run)}.`] : []),
  ];
  return new CliError(exitCodes.interrupted, 'interrupted', `Interrupted after ${done} of ${counted(changes, 'change')}`, {
    hint: hints.join(' '),
    details: { run, done, changes },
  });
}

/**
 * Rehearses a plan on an in-memory copy of the account and prints the report.
 * @throws CliError 6 if the rehearsal fails, and the errors of `checkCopy`
 */
async function rehearseFirst(
  { targets, world, globals, notes }: Session,
  { plan, live, client, planFor, checkCopy }: Ready,
): Promise<void> {
  const [{ applyToCopy, rehearse }, opened] = await Promise.all([import('./rehearse.ts'), targets.openScratch()]);
  try {
    const whole = await readLive(client, copiedKinds);
    const names = copiedKinds.filter((name) => live.records.has(name));
    const { isFine, report } = await rehearse(whole, names, planFor ?? plan, { ...opened, now: world.now });
    const lines = ['Rehearsal:', ...report.map((line) => `  ${line}`)];
    if (globals.output === 'table') world.stdout.write(lines.map((line) => `${messageLine(line)}\n`).join(''));
    else if (globals.quiet) notes.beforeQuestion(lines);
    else notes.always(lines);
    if (!isFine)
      throw new CliError(
        exitCodes.conflict,
        'rehearsal',
        `The rehearsal failed, so nothing is written: ${report.filter((line) => line.startsWith('FAILED')).join('; ')}`,
      );
    await checkCopy?.((scratch) => applyToCopy(whole, names, planFor ?? plan, scratch));
  } finally {
    await opened.client.close();
  }
}

/**
 * Applies a plan and records it in the journal.
 * @param run the id of the run, which several accounts can share
 */
export async function executeInJournal(
  session: Session,
  { plan, live, client, undoes, kept }: Ready,
  run: string,
  how: Pick<Execution, 'maxFailures' | 'keepSecret' | 'isStopped'>,
): Promise<Executed> {
  const { now } = session.world;
  const rules = await ruleOrder(client, plan, live);
  const journals = runJournals(session);
  const repetition = {
    keyed: (seed: string) => client.withKeys(new SeededKeys(seed)),
    unsettled: unsettledSeeds(journals.since(plan.account, now() - keptFor)),
  };
  const journal = journals.begin({ run, at: iso(now()), account: plan.account, undoes, rules });
  try {
    return await execute(plan, { ...how, client, live, journal, now, repetition, ...(kept && { kept }) });
  } finally {
    journal.close();
  }
}

/** @throws CliError 2 if deletions must be allowed but `--allow-deletes` is missing or has another number */
export function checkDeletions(plans: readonly Plan[], allowed: number | undefined): void {
  const reasons = plans.flatMap(({ deletions }) => deletions.reasons);
  const count = plans.reduce((sum, { deletions }) => sum + deletions.count, 0);
  if (reasons.length === 0 || allowed === count) return;
  throw usageError(
    `This deletes ${counted(count, 'record')}: ${reasons.join('; ')}`,
    `Check the deletions with \`msgctl diff\`, then add --allow-deletes ${count} to allow them.`,
  );
}

/** A failed write takes precedence over a conflict. */
export function applyExitCode({ blocked }: Plan, results: readonly ChangeResult[]): ExitCode {
  if (results.some(({ result }) => result === 'failed')) return exitCodes.partlyFailed;
  if (blocked.length > 0 || results.some(({ result }) => result === 'conflict' || result === 'skipped')) return exitCodes.conflict;
  return exitCodes.done;
}
