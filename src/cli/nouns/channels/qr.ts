import { getPairingCode } from '../../../contract/areas/channels/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { openOutputFile } from '../../verb/output-file.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { toCliError } from '../../explain.ts';
import { selectsFromAnswer } from '../../global-options.ts';
import { drawQrCode } from '../../output/qr-code.ts';
import type { Result } from '../../output/result.ts';
import { shellWord } from '../../output/shell-word.ts';

type Code = Answer<typeof getPairingCode>;

const pngPrefix = 'data:image/png;base64,';

/**
 * Shows the code of a pairing: draws it on a terminal, or writes its picture to the file given with `--out`.
 * @throws CliError 1 if there is no code or the file cannot be written, 2 if it exists, is a symbolic link or is not named `.png`, 5
 * if there is no pairing
 */
export async function showCode(session: Session, number: string, { out }: Options): Promise<Result> {
  if (out !== undefined) return await writePicture(session, number, out as string);
  const { globals, world } = session;
  const answer = await readCode(session, number);
  const isForPeople = globals.output === 'table' && world.stdout.isTTY && !globals.fields && !selectsFromAnswer(globals);
  if (isForPeople && answer.qr_code !== null) await drawQrCode(answer.qr_code, session);
  return { kind: 'record', answer, record: answer };
}

async function writePicture(session: Session, number: string, path: string): Promise<Result> {
  if (!/\.png$/i.test(path)) throw usageError(`--out ${path}: the picture is a PNG, so the file name must end in .png`);
  const file = openOutputFile(path, { flag: '--out', what: 'the picture', replaces: session.globals.yes, isSecret: true });
  try {
    const answer = await readCode(session, number);
    file.commit(pictureOf(answer));
    session.notes.say(`Wrote the code of ${answer.phone_number} to ${path}.`);
    return { kind: 'record', answer, record: answer, columns: [] };
  } finally {
    file.close();
  }
}

async function readCode({ targets }: Session, number: string): Promise<Code> {
  const client = await targets.client();
  return await client.call(getPairingCode, { params: { phoneNumber: number } }).catch((error: unknown) => {
    const refusal = toCliError(error);
    if (refusal.status !== 404 && refusal.status !== 410) throw error;
    throw refusal.with({ hint: `\`msgctl channels pair ${shellWord(number)}\` starts a pairing.` });
  });
}

/** @throws CliError 1 if there is no code, or its picture has another format */
function pictureOf({ phone_number: number, status, qr_data_url: url }: Code): Buffer {
  if (url === null) throw new CliError(exitCodes.failed, 'no_code', `There is no code to scan: ${number} is ${status}`);
  if (!url.startsWith(pngPrefix)) throw new CliError(exitCodes.failed, 'unexpected_answer', 'The service sent a picture that is not a PNG');
  return Buffer.from(url.slice(pngPrefix.length), 'base64');
}
