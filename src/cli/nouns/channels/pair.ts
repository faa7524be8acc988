import * as contract from '../../../contract/areas/channels/endpoints.ts';
import { InterfaceError } from '../../../client/errors.ts';
import type { Session } from '../../command/noun.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { drawQrCode } from '../../output/qr-code.ts';
import type { Result } from '../../output/result.ts';

/** The interval between status requests, in milliseconds. The API asks for 10 to 15 seconds. */
const pollInterval = 10_000;

/** Timeout for the last request after an interrupt, in milliseconds. */
const lastTimeout = 5_000;

/**
 * Pairs a number. Draws its QR code on stderr, redraws it whenever it changes, and waits until it is scanned.
 * @throws CliError 1 if the code expires or the connection fails, 130 if interrupted
 */
export async function pair(session: Session, [given = '']: readonly string[]): Promise<Result> {
  const { world, targets, notes } = session;
  const client = await targets.client();
  const { phone_number: number } = await client.call(contract.startPairing, { body: { phone_number: given } });
  let drawn: string | null = null;
  for (let isInterrupted = false; ;) {
    const asking = client.call(contract.getPairingCode, { params: { phoneNumber: number } }).catch((error: unknown) => {
      throw isExpired(error) ? expiredError(number) : isInterrupted ? stoppedError() : error;
    });
    // The code may have been scanned since the last request.
    const answer = await (isInterrupted ? Promise.race([asking, world.sleep(lastTimeout)]) : asking);
    if (!answer) throw stoppedError();
    const { status, qr_code: code } = answer;
    if (status === 'connected' || status === 'open') {
      notes.say(`${number} is connected.`);
      return { kind: 'record', answer: { phone_number: number, status }, record: { phone_number: number, status } };
    }
    if (status !== 'qr_pending')
      throw new CliError(exitCodes.failed, 'pairing_failed', `The pairing of ${number} ended with the status ${status}`, {
        hint: retryHint,
      });
    if (isInterrupted) throw stoppedError();
    if (code !== null && code !== drawn) {
      await drawQrCode(code, session);
      notes.say(`Scan the code with the phone of ${number}. Press Ctrl-C to stop waiting.`);
    }
    drawn = code;
    isInterrupted = await Promise.race([world.sleep(pollInterval).then(() => false), world.interrupted.then(() => true)]);
  }
}

function stoppedError(): CliError {
  return new CliError(exitCodes.interrupted, 'interrupted', 'Stopped waiting; the code can still be scanned.');
}

const retryHint = 'Run the command again for a new code.';

function isExpired(error: unknown): boolean {
  return error instanceof InterfaceError && error.status === 410;
}

function expiredError(number: string): CliError {
  return new CliError(exitCodes.failed, 'expired', `The code for ${number} was not scanned in time`, { hint: retryHint, status: 410 });
}
