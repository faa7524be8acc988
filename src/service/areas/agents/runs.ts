import type { optimizeAgent, tagGenerationModes } from '../../../contract/areas/agents/endpoints.ts';
import type { Body } from '../../../contract/endpoint.ts';
import { ApiError } from '../../errors.ts';
import type { JobPayloads } from '../../jobs/job.ts';
import { laneOf } from '../../jobs/lanes.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import type { Journal } from '../activity/journal.ts';
import { runCosts } from '../credits/rules.ts';
import { type Agent, agents } from './table.ts';

// A run drafts texts for an agent in the background. It is charged when it is accepted, and refunded when it fails.

/** The payload of a run's job. */
export interface RunPayload {
  readonly agent: string;
  /** What the run cost, and its ledger record; null when it was free of charge. */
  readonly charge: { readonly millionths: number; readonly ledgerId: string } | null;
}

/** The user's description of what should change in an agent, and a reply that was rated down, with the reason. */
interface Feedback {
  readonly feedback: string | null;
  readonly complaint: { readonly message: string | null; readonly feedback: string } | null;
}

/** How drafted tagging rules are combined with the existing ones. */
type Mode = (typeof tagGenerationModes)[number];

/** The payload of a run that drafts tagging rules. */
export type GenerationPayload = RunPayload & { readonly mode: Mode };

/** The payload of a job that lets a model choose which tagging rules apply to a message. */
export interface ChoicePayload {
  readonly agent: string;
  readonly message: string;
}

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    agent_optimize: RunPayload & Feedback & { readonly urls?: readonly string[] };
    agent_tags: GenerationPayload | ChoicePayload;
  }
}

/** The feedback in a request. Blank texts count as absent. */
export function readFeedback(body: Body<typeof optimizeAgent>): Feedback {
  const { user_feedback: feedback, thumbs_down_feedback: complaint, thumbs_down_message: message } = body;
  const filled = (text: string | undefined) => (text?.trim() ? text : null);
  const complained = filled(complaint);
  return { feedback: filled(feedback), complaint: complained === null ? null : { message: filled(message), feedback: complained } };
}

/** The instruction for an agent that is created from web pages. */
export function feedbackOf(urls: readonly string[]): Feedback {
  return { feedback: `Answer from what these pages say: ${urls.join(', ')}`, complaint: null };
}

/**
 * Starts to draft a better configuration of an agent.
 * @param urls web pages to draft it from; the run is then free of charge
 * @throws ApiError 409 while a draft is being written, 402 without enough credits
 */
export async function beginOptimizing(db: Db, journal: Journal, agent: Agent, feedback: Feedback, urls?: readonly string[]): Promise<void> {
  const { account, now } = journal;
  checkIdle(agent.optimize_run);
  const charge = urls ? null : await chargeRun(journal, agent.id, 'agent_optimize');
  await agents.change(db, account.id, agent.id, { optimize_run: begun(now) }, now);
  await enqueue(db, {
    kind: 'agent_optimize',
    lane: laneOf(account.id, 'agent_optimize'),
    accountId: account.id,
    payload: { agent: agent.id, charge, ...feedback, ...(urls && { urls }) },
    dueAt: now,
  });
}

/**
 * Starts to draft tagging rules of an agent.
 * @throws ApiError 409 while they are being drafted, 402 without enough credits
 */
export async function beginTagGeneration(db: Db, journal: Journal, agent: Agent, mode: Mode): Promise<void> {
  const { account, now } = journal;
  checkIdle(agent.tag_generation);
  const charge = await chargeRun(journal, agent.id, 'agent_tags');
  await agents.change(db, account.id, agent.id, { tag_generation: begun(now) }, now);
  await enqueue(db, tagJob(account.id, { agent: agent.id, charge, mode }, now));
}

/** Queues a job that lets a model choose which tagging rules apply to a message. */
export async function queueTagChoice(db: Db, { account, now }: Journal, agentId: string, messageId: string): Promise<void> {
  await enqueue(db, tagJob(account.id, { agent: agentId, message: messageId }, now));
}

function tagJob(accountId: string, payload: JobPayloads['agent_tags'], dueAt: number) {
  return { kind: 'agent_tags', lane: laneOf(accountId, 'agent_tags'), accountId, payload, dueAt } as const;
}

function checkIdle(run: { readonly status: string } | null): void {
  if (run?.status === 'Running') throw new ApiError(409, 'A run of this kind is already in progress: wait until it has ended');
}

function begun(now: number) {
  return { status: 'Running', started_at: now, ended_at: null, error: null } as const;
}

async function chargeRun(journal: Journal, agentId: string, reason: keyof typeof runCosts): Promise<RunPayload['charge']> {
  const millionths = runCosts[reason];
  return { millionths, ledgerId: await journal.post({ millionths: -millionths, reason, agentId }) };
}
