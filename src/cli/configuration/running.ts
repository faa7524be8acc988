import { execute, type ChangeResult, type Executed } from '../../account-as-code/execute.ts';
import type { Live } from '../../account-as-code/live.ts';
import type { Plan } from '../../account-as-code/plan.ts';
import { byPrecedence } from '../../account-as-code/planner/precedence.ts';
import { summary } from '../../account-as-code/text.ts';
import type { Client } from '../../client/client.ts';
import type { Options, Session } from '../command/noun.ts';
import { type ExitCode, exitCodes, usageError } from '../errors.ts';
import { toCliError } from '../explain.ts';
import type { Result } from '../output/result.ts';
import { journalsOf } from './planning.ts';
import { planForPeople, planResult } from './result.ts';
import { openSecretsFile } from './secrets-file.ts';

/** A plan that is about to be carried out. */
export interface Ready {
  readonly plan: Plan;
  readonly live: Live;
  readonly client: Client;
  /** The run that it takes back; null for an apply. */
  readonly undoes: string | null;
  readonly members?: ReadonlyMap<number, readonly string[]>;
}

/**
 * Shows a plan, asks, and carries it out.
 * @throws CliError 2 when there is nobody to ask, deletions are not allowed, or secrets would be lost
 */
export async function runPlan(session: Session, ready: Ready, options: Options): Promise<Result> {
  const { plan, live, client, undoes, members } = ready;
  const { globals, notes, world } = session;
  if (plan.changes.length === 0) {
    if (globals.output === 'table') return await planResult(plan, session, exitCodeOf(plan, []));
    return await planResult(plan, session, exitCodeOf(plan, []), { results: [], run: null });
  }
  if (undoes === null) checkDeletions(plan, options.allowDeletes as number | undefined);
  const secrets = openSecretsFile(plan, options.secretsOut as string | undefined);
  try {
    // With --yes nobody reads it first, but a log should have it.
    if (globals.output === 'table') world.stdout.write(await planForPeople(plan, session, 'stdout'));
    else if (!globals.yes && world.stderr.isTTY) world.stderr.write(await planForPeople(plan, session, 'stderr'));
    await session.confirm(`${undoes === null ? 'Apply' : 'Undo'} this to ${live.account.name}? ${summary(plan)}`);
    const { executed, run } = await write({ ...ready, members: members ?? new Map() }, session, options, secrets.keep);
    const result = await planResult(plan, session, exitCodeOf(plan, executed.results), { results: executed.results, run });
    if (executed.fatal) {
      const failure = toCliError(executed.fatal);
      notes.insist(`The run ended early: ${failure.message}`);
      return { ...result, exitCode: failure.exitCode } as Result;
    }
    if (undoes === null && executed.results.some(({ result: word }) => word === 'done')) notes.say(`\`msgctl undo ${run}\` takes it back.`);
    return result;
  } finally {
    secrets.close();
  }

  async function write(
    own: Ready,
    { world: { now } }: Session,
    { maxFailures }: Options,
    keepSecret: Parameters<typeof execute>[1]['keepSecret'],
  ) {
    const journals = journalsOf(session);
    const run = journals.nextRun();
    const rules = [...(live.records.get('rules') ?? [])].sort((one, other) => byPrecedence(one.row, other.row)).map(({ id }) => id);
    const journal = journals.begin({ run, at: new Date(now()).toISOString(), account: plan.account, undoes, rules });
    try {
      const executed: Executed = await execute(plan, {
        client,
        live,
        journal,
        now,
        maxFailures: maxFailures as number | undefined,
        keepSecret,
        ...(own.members && { members: own.members }),
      });
      return { executed, run };
    } finally {
      journal.close();
    }
  }
}

/** @throws CliError 2 when deletions need an allowance of another number */
function checkDeletions({ deletions: { count, reasons } }: Plan, allowed: number | undefined): void {
  if (reasons.length === 0 || allowed === count) return;
  throw usageError(
    `${count} records would be deleted: ${reasons.join('; ')}`,
    `Check them with \`msgctl diff\`, and add --allow-deletes ${count} to allow it.`,
  );
}

/** A failed write counts more than a conflict. */
function exitCodeOf({ blocked }: Plan, results: readonly ChangeResult[]): ExitCode {
  if (results.some(({ result }) => result === 'failed')) return exitCodes.partlyFailed;
  if (blocked.length > 0 || results.some(({ result }) => result === 'conflict' || result === 'skipped')) return exitCodes.conflict;
  return exitCodes.done;
}
