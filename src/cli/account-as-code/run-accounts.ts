import { summary } from '../../account-as-code/plan/text.ts';
import { type ChangeResult, type Execution, isOpen } from '../../account-as-code/run/execute.ts';
import type { Options, Session } from '../verb/noun.ts';
import { CliError, type ExitCode, exitCodes } from '../errors.ts';
import { toCliError } from '../explain.ts';
import { counted } from '../../contract/text/counted.ts';
import { sentenceOf } from '../../contract/text/some-of.ts';
import type { Result } from '../output/result.ts';
import type { PlannedAccount } from './account-clients.ts';
import { accountsResult, mergedText } from './accounts-result.ts';
import { recordLostOutcomes } from './lost-outcomes.ts';
import { runJournals } from './planning.ts';
import { applyExitCode, confirmRun, executeInJournal, stoppedError, tellUndo, undoing, withAccountLocks } from './run-plan.ts';
import { shownKey } from './plan-key.ts';
import { openSecretsFile, recoverLostSecrets, type SecretsFile } from './secrets-file.ts';
import { showPlan } from './show-plan.ts';
import { stopOnInterrupt } from './stop-on-interrupt.ts';

/**
 * Shows the plans of several accounts, asks for confirmation, and applies them one account after another in a single run.
 * @param verb the verb that calls this
 * @throws CliError 2 if confirmation is needed but there is no terminal, or secrets would be lost
 */
export async function runAccounts(
  session: Session,
  planned: readonly PlannedAccount[],
  options: Options,
  verb: 'Apply' | 'Undo',
): Promise<Result> {
  session.world.outliveReader();
  const secretsFile = options.secretsOut as string | undefined;
  for (const account of planned) {
    await recoverLostSecrets(account.session, account, secretsFile, account.name);
    if (account.undoes === null) recordLostOutcomes(runJournals(session), account.live);
  }
  const open = planned.filter(({ plan }) => plan.changes.length > 0);
  const codes = planned.filter(({ plan }) => plan.changes.length === 0).map(({ plan }) => applyExitCode(plan, []));
  if (open.length === 0) return await accountsResult(session, planned, worstExitCode(codes), new Map());
  const plans = planned.map(({ plan }) => plan);
  // With a key that cannot be used, the results of a finished run could not be shown.
  shownKey(session)?.find();
  const secrets = openSecretsFile(plans, secretsFile, session.notes);
  try {
    await showPlan(session, (stream) => mergedText(session, planned, stream));
    await confirmRun(session, verb === 'Undo', namedAccounts(open, options), summary(...plans));
    const accounts = open.map(({ plan }) => plan.account);
    const carried = new AccountsRun(session, open, options, secrets.keep);
    const run = await withAccountLocks(session, accounts, async (next) => {
      await carried.run(next);
      return next;
    });
    codes.push(...carried.codes);
    const result = await accountsResult(session, planned, worstExitCode(codes), carried.results, run);
    if (carried.wasStopped) return { ...result, failure: stoppedError(session, run, open, carried.soFar) };
    if (verb === 'Apply') tellUndo(session, run, carried.soFar);
    return secrets.isComplete() ? result : ({ ...result, exitCode: worstExitCode([...codes, exitCodes.failed]) } as Result);
  } finally {
    secrets.close();
  }
}

/** The accounts of a run, for its question: with a canary, those that come first. */
function namedAccounts(accounts: readonly PlannedAccount[], { canary }: Options): string {
  const count = counted(accounts.length, 'account');
  if (canary === undefined || accounts.length <= (canary as number)) return count;
  return `${count}, first to ${sentenceOf(accounts.slice(0, canary as number).map(({ name }) => name))}`;
}

/** Applies the plans of several accounts, until all are done or a limit ends the run. */
class AccountsRun {
  readonly results = new Map<string, readonly ChangeResult[]>();
  readonly codes: ExitCode[] = [];
  wasStopped = false;
  readonly #session: Session;
  readonly #accounts: readonly PlannedAccount[];
  /** The number of accounts after which to ask whether to continue, if all of them succeeded. */
  readonly #canary: number;
  readonly #maxFailures: number;
  readonly #keepSecret: SecretsFile['keep'];

  constructor(session: Session, accounts: readonly PlannedAccount[], { canary, maxFailures }: Options, keepSecret: SecretsFile['keep']) {
    this.#session = session;
    this.#accounts = accounts;
    this.#canary = (canary as number | undefined) ?? accounts.length;
    this.#maxFailures = (maxFailures as number | undefined) ?? Infinity;
    this.#keepSecret = keepSecret;
  }

  get soFar(): ChangeResult[] {
    return [...this.results.values()].flat();
  }

  async run(id: string): Promise<void> {
    const isStopped = stopOnInterrupt(this.#session);
    for (const [index, account] of this.#accounts.entries()) {
      this.wasStopped = isStopped();
      if (this.wasStopped) return;
      const reason = await this.#reasonToEnd(index);
      if (reason !== undefined) {
        this.#session.notes.always(`${reason}: ${counted(this.#accounts.length - index, 'account')} left.`);
        return;
      }
      if (!(await this.#carryOut(account, id, isStopped))) return;
    }
  }

  get #failures(): number {
    return this.soFar.filter(({ result }) => result === 'failed').length;
  }

  /** Why the run ends before an account; undefined if it continues. */
  async #reasonToEnd(index: number): Promise<string | undefined> {
    if (this.#failures >= this.#maxFailures) return `The run ended after ${counted(this.#failures, 'failed write')}`;
    if (index !== this.#canary) return undefined;
    const first = counted(index, 'account');
    if (this.soFar.some(isOpen)) return `A failure among the first ${first} ended the run`;
    const others = this.#accounts.slice(index).map(({ plan }) => plan);
    const refusal = await refusalOf(this.#session, `${first} done. Continue with the other ${others.length}? ${summary(...others)}`);
    if (!refusal) return undefined;
    this.codes.push(refusal.exitCode);
    return `The run ended after ${first}`;
  }

  /** @returns whether to continue with the next account */
  async #carryOut(account: PlannedAccount, id: string, isStopped: () => boolean): Promise<boolean> {
    const keepSecret: Execution['keepSecret'] = (secret) => this.#keepSecret({ ...secret, account: account.name });
    const how = { maxFailures: this.#maxFailures - this.#failures, keepSecret, isStopped };
    const { results, fatal, wasStopped } = await executeInJournal(account.session, account, id, how);
    this.results.set(account.plan.account, results);
    this.#session.notes.say(`${this.results.size} of ${counted(this.#accounts.length, 'account')}: ${account.name}.`);
    this.codes.push(fatal ? toCliError(fatal).exitCode : applyExitCode(account.plan, results));
    this.wasStopped = wasStopped;
    return !fatal && !wasStopped;
  }
}

/** Asks for confirmation during a run. @returns the error if the user declines; undefined if the run continues */
async function refusalOf(session: Session, question: string): Promise<CliError | undefined> {
  try {
    await session.confirm({ text: question, undo: undoing(session) });
    return undefined;
  } catch (error) {
    if (error instanceof CliError && (error.code === 'declined' || error.code === 'interrupted')) return error;
    throw error;
  }
}

/** The most severe exit code of several accounts. */
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
