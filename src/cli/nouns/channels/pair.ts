import * as contract from '../../../contract/areas/channels/endpoints.ts';
import { InterfaceError } from '../../../client/errors.ts';
import type { Session } from '../../verb/noun.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { terminalSafe } from '../../output/cell.ts';
import { drawQrCode } from '../../output/qr-code.ts';
import type { Result } from '../../output/result.ts';
import type { Output } from '../../world.ts';

/** The interval between status requests, in milliseconds. The API asks for 10 to 15 seconds. */
const pollInterval = 10_000;

/** Timeout for the last request after an interrupt, in milliseconds. */
const lastTimeout = 5_000;

/**
 * Pairs a number. Shows its QR code whenever there is a new one, and waits until it is scanned.
 * @throws CliError 1 if the code expires or somebody else ends the pairing, 130 if interrupted
 */
export async function pair(session: Session, [given = '']: readonly string[]): Promise<Result> {
  const { world, targets, notes } = session;
  const client = await targets.client();
  const { phone_number: number } = await client.call(contract.startPairing, { body: { phone_number: given } });
  let drawn: string | null = null;
  for (let isInterrupted = false; ;) {
    const asking = client.call(contract.getPairingCode, { params: { phoneNumber: number } }).catch((error: unknown) => {
      throw hasStatus(error, 410)
        ? expiredError(number)
        : hasStatus(error, 404)
          ? endedError(number)
          : isInterrupted
            ? stoppedError()
            : error;
    });
    // The code may have been scanned since the last request.
    const answer = await (isInterrupted ? Promise.race([asking, world.sleep(lastTimeout)]) : asking);
    if (!answer) throw stoppedError();
    const { status, qr_code: code, qr_data_url: picture } = answer;
    if (status === 'connected' || status === 'open') {
      notes.say(`${number} is connected.`);
      return { kind: 'record', answer: { phone_number: number, status }, record: { phone_number: number, status } };
    }
    if (status === 'disconnected') throw droppedError(number);
    if (status !== 'qr_pending') throw endedError(number);
    if (isInterrupted) throw stoppedError();
    if (code !== null && code !== drawn) {
      if (session.globals.output === 'json') printCode({ qr_code: code, qr_data_url: picture }, world.stdout);
      await drawQrCode(code, session);
      notes.say(`Scan the code with the phone of ${number}. Press Ctrl-C to stop waiting.`);
    }
    drawn = code;
    isInterrupted = await Promise.race([world.sleep(pollInterval).then(() => false), world.interrupted.then(() => true)]);
  }
}

/** Prints a code as a line of JSON, a document before that of the result. */
function printCode(code: { readonly qr_code: string; readonly qr_data_url: string | null }, stdout: Output): void {
  const line = JSON.stringify(code);
  stdout.write(`${stdout.isTTY ? terminalSafe(line) : line}\n`);
}

function stoppedError(): CliError {
  return new CliError(exitCodes.interrupted, 'interrupted', 'Stopped waiting. The code can still be scanned.');
}

const retryHint = 'Run the command again for a new code.';

function hasStatus(error: unknown, status: number): boolean {
  return error instanceof InterfaceError && error.status === status;
}

function expiredError(number: string): CliError {
  return new CliError(exitCodes.failed, 'expired', `The code for ${number} was not scanned in time`, { hint: retryHint, status: 410 });
}

/** The connection dropped, or was ended by somebody else. */
function droppedError(number: string): CliError {
  return new CliError(exitCodes.failed, 'pairing_ended', `Someone else ended the pairing of ${number}, or its connection dropped`, {
    hint: retryHint,
  });
}

/** Only `channels disconnect` ends a pairing before its code was scanned or has expired (rule channels.5). */
function endedError(number: string): CliError {
  return new CliError(exitCodes.failed, 'pairing_ended', `Someone else ended the pairing of ${number}`, { hint: retryHint });
}
