import { counted } from '../../../../contract/text/counted.ts';
import { exitCodes, usageError } from '../../../errors.ts';
import { checkTextFile, writeTextFile } from '../../../files/text-file.ts';
import { receiverUrlFlaw } from '../../../../contract/receiver-url.ts';
import { requireFolderOf } from '../../../verb/output-file.ts';
import { type JunitCase, junitOf } from '../../../output/junit.ts';
import { type Result, wholeList } from '../../../output/result.ts';
import { Progress } from '../../../output/progress.ts';
import type { Options, Session } from '../../../verb/noun.ts';
import { type Check, checks, type Outcome } from './checks.ts';
import { Sender } from './sender.ts';

/** The result of a check, for output. */
interface CheckRow {
  readonly check: string;
  readonly status: 'ok' | 'failed' | 'skipped';
  readonly sent: string;
  readonly expected: string;
  readonly received: string;
  /** Where the documents say so. */
  readonly documented: string;
  readonly duration_ms: number;
}

/**
 * Tries a receiver as the service would, and says what it gets wrong. The exit code is 1 when it gets anything wrong.
 * @throws CliError 2 if the URL is not http or https, or the secret is empty
 */
export async function certify(session: Session, address: string, options: Options): Promise<Result> {
  const { world, globals, notes } = session;
  const url = readUrl(address);
  const junit = options.junit as string | undefined;
  if (junit !== undefined) checkJunit(junit);
  const sender = new Sender(url, await readSecret(session, options), world);
  const progress = new Progress(world, globals.quiet);
  const rows: CheckRow[] = [];
  let whyNot: string | undefined;
  for (const [index, check] of checks.entries()) {
    progress.show(index / checks.length, check.name);
    const { row, isUnreachable } = await examine(check, sender, whyNot, world.now);
    rows.push(row);
    if (isUnreachable) whyNot = 'the receiver cannot be reached';
  }
  progress.clear();
  // Neither a password nor a token in the query is for a report.
  const shownUrl = url.origin + url.pathname;
  if (junit !== undefined) writeTextFile(junit, junitOf([{ name: shownUrl, cases: rows.map(junitCase) }]));
  if (!sender.isSigning) notes.say('Without --secret-stdin, the deliveries had no signature, and three checks were skipped.');
  const failed = rows.filter(({ status }) => status === 'failed').length;
  return {
    ...wholeList('checks', rows),
    totals: () => ({ url: shownUrl, failed }),
    closing: () => (failed === 0 ? 'The receiver does what it should.' : `${counted(failed, 'check')} failed.`),
    ...(failed > 0 && { exitCode: exitCodes.failed }),
  };
}

/** @throws CliError 2 */
function readUrl(address: string): URL {
  // The address is not repeated, because it can have a password or a token.
  const flaw = receiverUrlFlaw(address);
  if (flaw === undefined) return new URL(address);
  const what = flaw.startsWith('must not') ? `The URL ${flaw}` : 'This is not an http or https URL';
  throw usageError(what, 'Give the address of the receiver, such as http://127.0.0.1:8080/hook.');
}

/** @throws CliError 1 or 2 if the results could not be written there, before anything is tried */
function checkJunit(path: string): void {
  if (path === '-') throw usageError('--junit must be the name of a file, not -');
  requireFolderOf(path, '--junit');
  checkTextFile(path);
}

/** @throws CliError 2 if the secret on stdin is empty */
async function readSecret(session: Session, { secretStdin }: Options): Promise<string | undefined> {
  if (!secretStdin) return undefined;
  const secret = (await session.readWholeStdin()).trim();
  if (secret === '') throw usageError('The secret on stdin is empty');
  return secret;
}

/** @param whyNot why the check is skipped; undefined if it is not */
async function examine(check: Check, sender: Sender, whyNot: string | undefined, now: () => number) {
  const { name, sent, expected, rule } = check;
  const row = { check: name, sent, expected, documented: `docs/interface/webhooks.md, rule ${rule}` };
  const reason = whyNot ?? (check.isAboutSignatures && !sender.isSigning ? 'it needs the signing secret: --secret-stdin' : undefined);
  if (reason !== undefined)
    return { row: { ...row, status: 'skipped', received: reason, duration_ms: 0 } satisfies CheckRow, isUnreachable: false };
  const started = now();
  const outcomes = await check.run(sender);
  const isRight = outcomes.every(({ reply }) => check.accepts(reply));
  return {
    row: {
      ...row,
      status: isRight ? 'ok' : 'failed',
      received: isRight
        ? describe(outcomes)
        : describe(
            outcomes.filter(({ reply }) => !check.accepts(reply)),
            true,
          ),
      duration_ms: now() - started,
    } satisfies CheckRow,
    isUnreachable: outcomes.every(({ reply }) => reply.isUnreachable),
  };
}

/** What came back: `200`, `24 × 200`, or `500 (Replies, Reads)`. @param isLabelled whether to say to what, where it is to few */
function describe(outcomes: readonly Outcome[], isLabelled = false): string {
  const same = Map.groupBy(outcomes, ({ reply: { status, problem } }) => (status === null ? (problem ?? '') : String(status)));
  const parts = [...same].map(([what, group]) => {
    const labels = group.flatMap(({ label }) => label ?? []);
    const times = group.length > 1 ? `${group.length} × ` : '';
    return isLabelled && labels.length > 0 && labels.length <= 6 ? `${what} (${labels.join(', ')})` : times + what;
  });
  return parts.join('; ');
}

function junitCase({ check, status, sent, expected, received, documented, duration_ms: duration }: CheckRow): JunitCase {
  return {
    name: check,
    duration,
    failure: status === 'failed' ? [`expected ${expected}, got ${received}`, `sent: ${sent}`, documented] : null,
    skipped: status === 'skipped' ? received : undefined,
  };
}
