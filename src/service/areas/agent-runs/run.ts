import type { AgentRecord } from '../../../contract/areas/agents/agent.ts';
import { ApiError } from '../../errors.ts';
import { type Account, findAccount } from '../../identity/accounts.ts';
import type { Finish } from '../../jobs/job.ts';
import type { Db } from '../../store/database.ts';
import type { Parts } from '../../parts.ts';
import { finishOnAccount } from '../activity/account-job.ts';
import type { Journal } from '../activity/journal.ts';
import { type AnsweringAgent, findAnsweringAgent } from '../agents/answering.ts';
import type { RunPayload } from '../agents/runs.ts';
import { type Agent, agents } from '../agents/table.ts';
import { recordCall } from '../answers/calls.ts';
import { profileOf } from '../answers/profile.ts';
import type { CallKind } from '../answers/table.ts';
import { orFailure, WriterFailed, type Written } from '../answers/writer.ts';
import { findEntry } from '../credits/records.ts';

/** After a run was leased; after its result was written; after the result was stored, before its transaction is committed. */
export const runFailpoints = ['run.leased', 'run.written', 'run.ending'] as const;

declare module '../../drills/failpoint.ts' {
  interface FailpointNames {
    runs: (typeof runFailpoints)[number];
  }
}

type RunColumn = 'optimize_run' | 'tag_generation';

/** Defines the runs of one kind. */
export interface RunKind<Column extends RunColumn, Payload extends RunPayload, Result> {
  /** The agent's column with the state of the run. */
  readonly column: Column;
  /** The status of a successful run. */
  readonly done: NonNullable<AgentRecord[Column]>['status'];
  readonly call: CallKind;
  /** Reads what the writer needs. @returns the writing step, which runs outside of any transaction and may throw WriterFailed */
  readonly prepare: (
    db: Db,
    account: Account,
    agent: AnsweringAgent,
    payload: Payload,
    parts: Parts,
  ) => Promise<() => Promise<Written<Result>>>;
  /**
   * The changes that the result makes, in the transaction that ends the run. @throws ApiError when the result cannot be applied
   */
  readonly apply: (db: Db, account: Account, agent: Agent, result: Result, payload: Payload, now: number) => Promise<Partial<Agent>>;
}

/** What was written, and who wrote it; or why nothing was. */
type RunResult<Result> = (Written<Result> & { readonly provider: string }) | WriterFailed;

/** Does the work of a run. @returns the step that ends it */
export async function runOnce<Column extends RunColumn, Payload extends RunPayload, Result>(
  parts: Parts,
  kind: RunKind<Column, Payload, Result>,
  accountId: string | null,
  payload: Payload,
): Promise<Finish> {
  const { failpoint } = parts;
  failpoint('run.leased');
  const written = await write(parts, kind, accountId ?? '', payload);
  failpoint('run.written');
  const finish = end(kind, accountId, payload, written);
  return async (db, now) => {
    await finish(db, now);
    failpoint('run.ending');
  };
}

/** @returns the step that ends a run as failed, after its job was given up */
export function abandonRun<Column extends RunColumn, Payload extends RunPayload, Result>(
  kind: RunKind<Column, Payload, Result>,
  accountId: string | null,
  payload: Payload,
): Finish {
  return end(kind, accountId, payload, new WriterFailed('The service failed', 'unreadable'));
}

function end<Column extends RunColumn, Payload extends RunPayload, Result>(
  kind: RunKind<Column, Payload, Result>,
  accountId: string | null,
  payload: Payload,
  written: RunResult<Result>,
): Finish {
  return finishOnAccount(accountId, (db, journal) => endRun(db, journal, kind, payload, written));
}

async function write<Payload extends RunPayload, Result>(
  parts: Parts,
  kind: RunKind<RunColumn, Payload, Result>,
  accountId: string,
  payload: Payload,
): Promise<RunResult<Result>> {
  const ready = await parts.store.read(async (db) => {
    const account = await findAccount(db, accountId);
    const agent = await findAnsweringAgent(db, accountId, payload.agent);
    if (!account || !agent) return new WriterFailed('The agent was deleted');
    return account.ownAiKey === 'failing'
      ? new WriterFailed("The account's own AI key fails", 'own_key_failing')
      : await kind.prepare(db, account, agent, payload, parts);
  });
  if (ready instanceof WriterFailed) return ready;
  const written = await orFailure(ready());
  return written instanceof WriterFailed ? written : { ...written, provider: parts.writer.provider };
}

async function endRun<Column extends RunColumn, Payload extends RunPayload, Result>(
  db: Db,
  journal: Journal,
  kind: RunKind<Column, Payload, Result>,
  payload: Payload,
  written: RunResult<Result>,
): Promise<void> {
  const { account, now } = journal;
  const { charge } = payload;
  const agent = await agents.find(db, account.id, payload.agent);
  const outcome = agent ? await applied(db, journal, kind, agent, payload, written) : new WriterFailed('The agent was deleted');
  const isFailed = outcome instanceof WriterFailed;
  if (isFailed && charge)
    await journal.post({
      millionths: charge.millionths,
      reason: 'refund',
      agentId: payload.agent,
      // Read from the ledger, because the agent may have been deleted.
      spentAt: (await findEntry(db, charge.ledgerId))?.at ?? now,
    });
  if (!agent) return;
  if (isFailed) journal.fail({ source: 'model', code: outcome.code, entity: { type: 'agent', id: agent.id } });
  const end = { ...agent[kind.column], status: isFailed ? 'Failed' : kind.done, ended_at: now, error: isFailed ? outcome.message : null };
  await agents.change(db, account.id, agent.id, { ...(!isFailed && outcome), [kind.column]: end }, now);
  if (isFailed || written instanceof WriterFailed) return;
  const { tier } = profileOf(agent);
  const call = { kind: kind.call, provider: written.provider, tier, usage: written.usage, agentId: agent.id, campaignId: null };
  await recordCall(db, account, { ...call, ledgerId: charge?.ledgerId ?? null }, now);
}

/** The changes of a run, or why it failed. */
async function applied<Column extends RunColumn, Payload extends RunPayload, Result>(
  db: Db,
  { account, now }: Journal,
  kind: RunKind<Column, Payload, Result>,
  agent: Agent,
  payload: Payload,
  written: Written<Result> | WriterFailed,
): Promise<Partial<Agent> | WriterFailed> {
  if (written instanceof WriterFailed) return written;
  try {
    return await kind.apply(db, account, agent, written.result, payload, now);
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return new WriterFailed(error.message);
    throw error;
  }
}
