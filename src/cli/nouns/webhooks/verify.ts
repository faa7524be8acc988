import { freshnessWindow, isFresh, isSigned } from '../../../contract/areas/webhooks/signature.ts';
import type { Options, Session } from '../../command/command.ts';
import { exitCodes, usageError } from '../../errors.ts';
import type { Result } from '../../output/result.ts';
import { readStdin, readUserFile } from '../../files/read.ts';

/** Checks a delivery that somebody kept, and says what is wrong with it. */
export async function verify({ world }: Session, options: Options): Promise<Result> {
  const { signature, timestamp, body: file } = options as { signature: string; timestamp: string; body: string };
  if (file === '-') throw usageError('stdin brings the secret: --body must name a file');
  const secret = (await readStdin(world)).trim();
  if (secret === '') throw usageError('The secret on stdin is empty');
  const body = await readUserFile(file);
  const genuine = isSigned(secret, timestamp, body, signature);
  const fresh = isFresh(timestamp, world.now());
  const age = /^\d{1,12}$/.test(timestamp) ? Math.round(world.now() / 1000 - Number(timestamp)) : null;
  const record = { genuine, fresh, age_seconds: age, finding: findingOf({ genuine, fresh, secret, timestamp, body, signature }) };
  return { kind: 'record', answer: record, record, ...(!(genuine && fresh) && { exitCode: exitCodes.failed }) };
}

interface Evidence {
  readonly genuine: boolean;
  readonly fresh: boolean;
  readonly secret: string;
  readonly timestamp: string;
  readonly body: Buffer;
  readonly signature: string;
}

/** What a person debugging a receiver wants to hear: the usual mistakes are tried out. */
function findingOf({ genuine, fresh, secret, timestamp, body, signature }: Evidence): string {
  if (genuine && fresh) return 'The delivery is genuine and fresh.';
  if (genuine) return `The delivery is genuine, but its timestamp lies more than ${freshnessWindow} seconds away.`;
  if (!/^v1=[0-9a-f]{64}$/.test(signature.trim()))
    return 'The signature has not the form v1=<64 hexadecimal digits>: give the header as it came.';
  const fits = (changed: string | Uint8Array, time = timestamp) => isSigned(secret, time, changed, signature);
  const text = body.toString();
  if (fits(text.replace(/\r?\n$/, ''))) return 'It fits without the newline at the end of the file: the body has none.';
  if (fits(`${text}\n`)) return 'It fits with a newline at the end: the file lost it.';
  const compact = compactJson(text);
  if (compact !== null && fits(compact)) return 'It fits the body as compact JSON: the file was reformatted, verify the raw body.';
  if (/^\d{13}$/.test(timestamp) && fits(body, timestamp.slice(0, 10)))
    return 'It fits with the timestamp in seconds: these are milliseconds.';
  return 'It fits neither this secret nor this body: compare the raw body, the timestamp of the same delivery, and the secret in force when it was made.';
}

function compactJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return null;
  }
}
