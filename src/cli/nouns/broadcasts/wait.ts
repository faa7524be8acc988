import { InterfaceError } from '../../../client/errors.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { type BroadcastStatus, getBroadcast } from '../../../contract/areas/broadcasts/endpoints.ts';
import { settle } from '../../../contract/areas/sandbox/endpoints.ts';
import type { Options, Session } from '../../command/noun.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { counted } from '../../output/counted.ts';
import { Progress } from '../../output/progress.ts';
import type { Result } from '../../output/result.ts';

type Broadcast = Answer<typeof getBroadcast>['broadcast'];

/** The pauses between two requests, in milliseconds. Each is longer than the one before. */
const firstPause = 500;
const longestPause = 5_000;
const growth = 1.5;

/**
 * The statuses that a broadcast can have after each one, by itself or when somebody approves, pauses, resumes or cancels it.
 * Nothing happens to a draft until it is submitted, as if it were new. Delivery reports that make a sent broadcast fail are
 * too rare to wait for.
 */
const next: Readonly<Record<BroadcastStatus, readonly BroadcastStatus[]>> = {
  Draft: [],
  'Pending Approval': ['Scheduled', 'Sending', 'Draft'],
  Scheduled: ['Sending', 'Draft'],
  Sending: ['Paused', 'Sent', 'Failed'],
  Paused: ['Sending'],
  Sent: [],
  Failed: [],
};

/** A status as a word of the command line: `pending-approval`. */
function wordOf(status: string): string {
  return status.toLowerCase().replaceAll(' ', '-');
}

/** Whether a broadcast in one status can still come to another. */
export function canReach(from: BroadcastStatus, word: string, seen: readonly BroadcastStatus[] = []): boolean {
  return next[from].some((status) => wordOf(status) === word || (!seen.includes(status) && canReach(status, word, [...seen, from])));
}

/**
 * Waits until a broadcast has a status.
 * @throws CliError 1 when that can no longer happen, or not in time; 130 when interrupted
 */
export async function waitFor(session: Session, id: string, options: Options): Promise<Result> {
  const { world, globals, targets } = session;
  const wanted = (options.for as string | undefined) ?? 'sent';
  const timeout = (options.timeout as number | undefined) ?? Infinity;
  const client = await targets.client();
  // The embedded service does its work only while a command runs it.
  const embedded = targets.resolve().baseUrl === null ? await targets.sandboxAtHand() : null;
  const progress = new Progress(world, globals.quiet);
  const interrupted = world.interrupted.then(() => true as const);
  const deadline = world.now() + timeout;
  let broadcast: Broadcast | null = null;
  let working: Promise<unknown> | null = null;
  try {
    for (let pause = firstPause; ; pause = Math.min(pause * growth, longestPause)) {
      // A failure means that it does not end in time: it goes on.
      working ??= embedded?.call(settle, {}).then(rest, rest) ?? null;
      const answer = await Promise.race([read(), interrupted]);
      if (answer === true) throw stoppedError();
      broadcast = answer;
      if (wordOf(broadcast.status) === wanted) return { kind: 'record', answer: { broadcast }, record: broadcast };
      if (!canReach(broadcast.status, wanted)) throw impossibleError(broadcast, wanted);
      const left = deadline - world.now();
      if (left <= 0) throw lateError(broadcast, wanted, timeout);
      progress.show(shareOf(broadcast), `${broadcast.name}: ${describe(broadcast)}`);
      if (await Promise.race([world.sleep(Math.min(pause, left)), interrupted])) throw stoppedError();
    }
  } finally {
    progress.clear();
  }

  function rest(): void {
    working = null;
  }

  async function read(): Promise<Broadcast> {
    try {
      return (await client.call(getBroadcast, { params: { id } })).broadcast;
    } catch (error) {
      if (broadcast && error instanceof InterfaceError && error.status === 404) throw deletedError(broadcast);
      throw error;
    }
  }
}

/** The share of the messages that were sent or failed; null before it begins. */
function shareOf({ status, counts: { total, sent, failed } }: Broadcast): number | null {
  const hasBegun = status === 'Sending' || status === 'Paused';
  return hasBegun && total > 0 ? Math.min(1, (sent + failed) / total) : null;
}

function describe({ status, scheduled_at: at, counts: { total, sent, failed } }: Broadcast): string {
  if (status === 'Scheduled') return `Scheduled for ${at}`;
  const failures = failed > 0 ? `, ${failed} failed` : '';
  return `${status}, ${sent} of ${total} sent${failures}`;
}

/** An error that carries the broadcast, for scripts. */
function failure(code: string, message: string, broadcast: Broadcast, hint?: string): CliError {
  return new CliError(exitCodes.failed, code, message, { hint, details: { broadcast } });
}

function impossibleError(broadcast: Broadcast, wanted: string): CliError {
  const { name, status } = broadcast;
  if (status === 'Draft')
    return failure('state_passed', `The broadcast '${name}' is a draft: it is not sent until it is submitted and approved`, broadcast);
  return failure('state_passed', `The broadcast '${name}' can no longer be ${wanted}: it is ${describe(broadcast)}`, broadcast);
}

function lateError(broadcast: Broadcast, wanted: string, timeout: number): CliError {
  const text = `The broadcast '${broadcast.name}' was not ${wanted} within ${counted(timeout / 1000, 'second')}: it is ${describe(broadcast)}`;
  return failure('timeout', text, broadcast, 'It goes on. Wait again, or longer with --timeout.');
}

function deletedError(broadcast: Broadcast): CliError {
  return failure('state_passed', `The broadcast '${broadcast.name}' was deleted`, broadcast);
}

function stoppedError(): CliError {
  return new CliError(exitCodes.interrupted, 'interrupted', 'Stopped waiting; the broadcast goes on.');
}
