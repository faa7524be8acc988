import { InterfaceError } from '../../../client/errors.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { type BroadcastStatus, getBroadcast } from '../../../contract/areas/broadcasts/endpoints.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { waitUntil } from '../../verb/wait.ts';
import { CliError, exitCodes, type Lines } from '../../errors.ts';
import { counted, digits } from '../../../contract/text/counted.ts';
import type { Result } from '../../output/result.ts';
import { sameTarget } from '../../verb/same-target.ts';
import { readRecipients } from './recipients.ts';
import { statusWord } from './status-word.ts';
import { shellWord } from '../../output/shell-word.ts';

type Broadcast = Answer<typeof getBroadcast>['broadcast'];

/**
 * The statuses that can follow each status, either automatically or after an approval, pause, resume or cancellation. A draft
 * stays a draft until it is submitted, which counts as a new broadcast. The transition from sent to failed by delivery reports
 * is too rare to wait for.
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

/** Whether a broadcast with one status can still reach another. */
export function canReach(from: BroadcastStatus, word: string, seen: readonly BroadcastStatus[] = []): boolean {
  return next[from].some((status) => statusWord(status) === word || (!seen.includes(status) && canReach(status, word, [...seen, from])));
}

/**
 * Waits until a broadcast has a status.
 * @throws CliError 1 if that can no longer happen, or on timeout; 130 if interrupted
 */
export async function waitFor(session: Session, id: string, options: Options): Promise<Result> {
  const wanted = (options.for as string | undefined) ?? 'sent';
  const timeout = (options.timeout as number | undefined) ?? Infinity;
  const client = await session.targets.client();
  let seen: Broadcast | null = null;
  const read = async (): Promise<Broadcast> => {
    try {
      return (seen = (await client.call(getBroadcast, { params: { id } })).broadcast);
    } catch (error) {
      if (seen && error instanceof InterfaceError && error.status === 404) throw deletedError(seen);
      throw error;
    }
  };
  const broadcast = await waitUntil(session, {
    read,
    isOver: ({ status }) => statusWord(status) === wanted || !canReach(status, wanted),
    describe: (each) => `${each.name}: ${describe(each)}`,
    shareOf,
    what: 'the broadcast',
    hintOf: approvalHint,
    limit: { milliseconds: timeout, error: (each) => lateError(each, wanted, timeout) },
  });
  const failures = broadcast.counts.failed === 0 ? [] : await failureLines(session, broadcast);
  if (statusWord(broadcast.status) !== wanted) throw impossibleError(broadcast, wanted, failures);
  if (failures.length > 0) session.notes.say(failures);
  return { kind: 'record', answer: { broadcast }, record: broadcast };
}

/** How many of those who got nothing are named. */
const maxNamed = 5;

/** Says who did not get a broadcast, and why. */
async function failureLines(session: Session, { id, name, counts: { failed } }: Broadcast): Promise<string[]> {
  const { recipients } = await readRecipients(session, id, ['failed'], maxNamed);
  const lines = recipients.map(({ name: who, address, error }) => {
    const known = [who, address].filter((each) => each !== null).join(', ');
    return `  ${known || 'a contact that is deleted'}: ${error?.text ?? 'the reason is not known'}`;
  });
  const command = `\`msgctl broadcasts recipients ${shellWord(name)} --status failed${sameTarget(session)}\``;
  const rest = failed - lines.length;
  return [`${counted(failed, 'contact')} did not get it:`, ...lines, ...(rest > 0 ? [`  and ${digits(rest)} more: ${command}`] : [])];
}

/** The share of messages that were sent or failed; null before sending begins. */
function shareOf({ status, counts: { total, sent, failed } }: Broadcast): number | null {
  const hasBegun = status === 'Sending' || status === 'Paused';
  return hasBegun && total > 0 ? Math.min(1, (sent + failed) / total) : null;
}

function describe({ status, scheduled_at: at, counts: { total, sent, failed } }: Broadcast): string {
  if (status === 'Scheduled') return `Scheduled for ${at}`;
  const failures = failed > 0 ? `, ${failed} failed` : '';
  return `${status}, ${sent} of ${total} sent${failures}`;
}

/** An error with the broadcast as details, for scripts. */
function failure(code: string, message: string, broadcast: Broadcast, hint?: Lines): CliError {
  return new CliError(exitCodes.failed, code, message, { hint, details: { broadcast } });
}

function impossibleError(broadcast: Broadcast, wanted: string, failures: readonly string[]): CliError {
  const { name, status } = broadcast;
  if (status === 'Draft')
    return failure('state_passed', `The broadcast '${name}' is a draft: it is not sent until it is submitted and approved`, broadcast);
  return failure('state_passed', `The broadcast '${name}' can no longer be ${wanted}: it is ${describe(broadcast)}`, broadcast, failures);
}

function lateError(broadcast: Broadcast, wanted: string, timeout: number): CliError {
  const text = `The broadcast '${broadcast.name}' was not ${wanted} within ${counted(timeout / 1000, 'second')}: it is ${describe(broadcast)}`;
  return failure('timeout', text, broadcast, approvalHint(broadcast) ?? 'The broadcast continues. Wait again, or longer with --timeout.');
}

/** The hint for a broadcast that does not continue automatically. */
function approvalHint({ id, status }: Broadcast): string | undefined {
  return status !== 'Pending Approval'
    ? undefined
    : `Nothing is sent until somebody approves it: \`msgctl broadcasts approve ${shellWord(id)}\`.`;
}

function deletedError(broadcast: Broadcast): CliError {
  return failure('state_passed', `The broadcast '${broadcast.name}' was deleted`, broadcast);
}
