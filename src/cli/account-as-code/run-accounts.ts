import { type ChangeResult, isOpen } from '../../account-as-code/run/execute.ts';
import type { Options, Session } from '../command/noun.ts';
import { CliError, type ExitCode, exitCodes } from '../errors.ts';
import { toCliError } from '../explain.ts';
import { counted } from '../../contract/counted.ts';
import type { Result } from '../output/result.ts';
import type { PlannedAccount } from './account-clients.ts';
import { accountsResult, mergedText } from './accounts-result.ts';
import { applyExitCode, confirmRun, executeInJournal, stoppedError, tellUndo, undoing, withAccountLocks } from './run-plan.ts';
import { openSecretsFile, recoverLostSecrets } from './secrets-file.ts';
import { stopOnInterrupt } from './stop-on-interrupt.ts';

/**
 * Shows the plans of accounts, asks, and carries them out, one account after the other. One run has them all.
 * @param verb which of the two it is
 * @throws CliError 2 when there is nobody to ask, or secrets would be lost
 */
export async function runAccounts(
  session: Session,
  planned: readonly PlannedAccount[],
  options: Options,
  verb: 'Apply' | 'Undo',
): Promise<Result> {
  session.world.outliveReader();
  for (const account of planned) await recoverLostSecrets(account.session, account, options.secretsOut as string | undefined);
  const open = planned.filter(({ plan }) => plan.changes.length > 0);
  const codes = planned.filter(({ plan }) => plan.changes.length === 0).map(({ plan }) => applyExitCode(plan, []));
  const results = new Map<string, readonly ChangeResult[]>();
  const soFar = () => [...results.values()].flat();
  if (open.length === 0) return await accountsResult(session, planned, worstExitCode(codes), results);
  const plans = planned.map(({ plan }) => plan);
  const secrets = openSecretsFile(plans, options.secretsOut as string | undefined, session.notes);
  let wasStopped = false;
  const runEach = async (run: string) => {
    const isStopped = stopOnInterrupt(session);
    const canary = (options.canary as number | undefined) ?? open.length;
    const mostFailures = (options.maxFailures as number | undefined) ?? Infinity;
    for (const [index, account] of open.entries()) {
      wasStopped = isStopped();
      if (wasStopped) break;
      const left = counted(open.length - index, 'account');
      const failures = soFar().filter(({ result }) => result === 'failed').length;
      if (failures >= mostFailures) {
        session.notes.insist(`The run ended after ${counted(failures, 'failed write')}: ${left} left.`);
        break;
      }
      if (index === canary) {
        if (soFar().some(isOpen)) {
          session.notes.insist(`A failure among the first ${counted(canary, 'account')} ended the run: ${left} left.`);
          break;
        }
        const refusal = await refusalOf(session, `${counted(canary, 'account')} done. Go on with the other ${open.length - canary}?`);
        if (refusal) {
          session.notes.insist(`The run ended after ${counted(canary, 'account')}: ${left} left.`);
          codes.push(refusal.exitCode);
          break;
        }
      }
      const how = { maxFailures: mostFailures - failures, keepSecret: secrets.keep, isStopped };
      const executed = await executeInJournal(account.session, account, run, how);
      const { results: own, fatal } = executed;
      results.set(account.plan.account, own);
      session.notes.say(`${index + 1} of ${counted(open.length, 'account')}: ${account.name}.`);
      codes.push(fatal ? toCliError(fatal).exitCode : applyExitCode(account.plan, own));
      wasStopped = executed.wasStopped;
      if (fatal || wasStopped) break;
    }
  };
  try {
    if (session.globals.output === 'table') session.world.stdout.write(await mergedText(session, planned));
    const changes = open.reduce((sum, { plan }) => sum + plan.changes.length, 0);
    await confirmRun(session, verb === 'Undo', counted(open.length, 'account'), `${counted(changes, 'change')}.`);
    const accounts = open.map(({ plan }) => plan.account);
    const run = await withAccountLocks(session, accounts, async (next) => {
      await runEach(next);
      return next;
    });
    const result = await accountsResult(session, planned, worstExitCode(codes), results, run);
    if (wasStopped) return { ...result, failure: stoppedError(session, run, open, soFar()) };
    if (verb === 'Apply') tellUndo(session, run, soFar());
    return secrets.isComplete() ? result : ({ ...result, exitCode: worstExitCode([...codes, exitCodes.failed]) } as Result);
  } finally {
    secrets.close();
  }
}

/** Asks in the middle of a run. @returns the error of a user who does not go on; undefined of one who does */
async function refusalOf(session: Session, question: string): Promise<CliError | undefined> {
  try {
    await session.confirm({ text: question, undo: undoing(session) });
    return undefined;
  } catch (error) {
    if (error instanceof CliError && (error.code === 'declined' || error.code === 'interrupted')) return error;
    throw error;
  }
}

/** The worst outcome of several accounts. */
export function worstExitCode(codes: readonly ExitCode[]): ExitCode {
  const order: readonly ExitCode[] = [
    exitCodes.interrupted,
    exitCodes.notAllowed,
    exitCodes.unavailable,
    exitCodes.partlyFailed,
    exitCodes.conflict,
    exitCodes.failed,
    exitCodes.differences,
  ];
  return order.find((code) => codes.includes(code)) ?? exitCodes.done;
}
