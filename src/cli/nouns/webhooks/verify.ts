import { InterfaceError } from '../../../client/errors.ts';
import { parseJson } from '../../../contract/json.ts';
import { limits } from '../../../contract/limits.ts';
import { freshnessWindow, isFresh, isSigned } from '../../../contract/deliveries/signature.ts';
import { orUsageError } from '../../invalid-value.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { readWhen } from '../../verb/when.ts';
import { exitCodes, usageError } from '../../errors.ts';
import type { Result } from '../../output/result.ts';
import { readUserFile } from '../../files/read.ts';

/** Verifies a stored delivery and explains a mismatch. */
export async function verify(session: Session, options: Options): Promise<Result> {
  const { signature, timestamp, body: file, at } = options as { signature: string; timestamp: string; body: string; at?: string };
  if (file === '-') throw usageError('The secret is read from stdin: --body must name a file');
  const arrived = await arrival(at, session);
  const secret = (await session.readWholeStdin()).trim();
  if (secret === '') throw usageError('The secret on stdin is empty');
  const body = await readUserFile(file);
  const genuine = isSigned(secret, timestamp, body, signature);
  const fresh = isFresh(timestamp, arrived);
  const age = /^\d{1,12}$/.test(timestamp) ? Math.round(arrived / 1000 - Number(timestamp)) : null;
  const record = { genuine, fresh, age_seconds: age, finding: findingOf({ genuine, fresh, secret, timestamp, body, signature }) };
  return { kind: 'record', answer: record, record, ...(!(genuine && fresh) && { exitCode: exitCodes.failed }) };
}

/**
 * When the delivery arrived, in epoch milliseconds. A service that does not answer does not prevent the verification.
 * @throws CliError 2 if the text is not a time
 */
async function arrival(text: string | undefined, session: Session): Promise<number> {
  const { notes, world } = session;
  if (text !== undefined) return Date.parse(await orUsageError('--at', text, () => readWhen(text, 'back', session)));
  return await session.serviceTime().catch((error: unknown) => {
    if (!(error instanceof InterfaceError)) throw error;
    notes.say(`The service did not tell its time (${error.message}), so the delivery is compared with the clock of this machine.`);
    return world.now();
  });
}

interface Evidence {
  readonly genuine: boolean;
  readonly fresh: boolean;
  readonly secret: string;
  readonly timestamp: string;
  readonly body: Buffer;
  readonly signature: string;
}

/** Explains the result. Tries common mistakes of receivers. */
function findingOf({ genuine, fresh, secret, timestamp, body, signature }: Evidence): string {
  if (genuine && fresh) return 'The delivery is genuine and fresh.';
  if (genuine) return `The delivery is genuine, but its timestamp is more than ${freshnessWindow} seconds off.`;
  if (!/^v1=[0-9a-f]{64}$/.test(signature.trim()))
    return 'The signature does not have the form v1=<64 hexadecimal digits>: give the whole value of the header.';
  const fits = (changed: string | Uint8Array, time = timestamp) => isSigned(secret, time, changed, signature);
  const text = body.toString();
  if (fits(text.replace(/\r?\n$/, '')))
    return 'The signature matches the file without the newline at its end. The body that was sent has no newline there.';
  if (fits(`${text}\n`)) return 'The signature matches the file with a newline at its end. The body that was sent has a newline there.';
  const compact = compactJson(text);
  if (compact !== null && fits(compact))
    return 'The signature matches the body as compact JSON, so the file was reformatted. Verify the raw body.';
  if (/^\d{13}$/.test(timestamp) && fits(body, timestamp.slice(0, 10)))
    return 'The signature matches with the timestamp in seconds. You gave it in milliseconds.';
  return 'The signature does not match: check that the raw body and the timestamp belong to the same delivery, and that the secret was current at that time.';
}

function compactJson(text: string): string | null {
  try {
    return JSON.stringify(parseJson(text, limits.answerLevels));
  } catch {
    return null;
  }
}
