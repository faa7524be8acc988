import * as contract from '../../../contract/areas/channels/endpoints.ts';
import { InterfaceError } from '../../../client/errors.ts';
import type { Session } from '../../command/command.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { drawQrCode } from '../../output/qr-code.ts';
import type { Result } from '../../output/result.ts';

/** How often to ask whether the code was scanned: the service wants 10 to 15 seconds (3/Contacts, messages, channels). */
const pollInterval = 10_000;

/**
 * Pairs a number: draws the code on stderr, and waits until it is scanned, drawing it anew when it changes.
 * @throws CliError 1 when the code runs out or the connection fails
 */
export async function pair(session: Session, [given = '']: readonly string[]): Promise<Result> {
  const { world, targets, notes } = session;
  const client = await targets.client();
  const { phone_number: number } = await client.call(contract.startPairing, { body: { phone_number: given } });
  let drawn: string | null = null;
  for (;;) {
    const answer = await client.call(contract.getPairingCode, { params: { phoneNumber: number } }).catch((error: unknown) => {
      throw isExpired(error) ? expired(number) : error;
    });
    const { status, qr_code: code } = answer;
    if (status === 'connected' || status === 'open') {
      notes.say(`${number} is connected.`);
      return { kind: 'record', answer: { phone_number: number, status }, record: { phone_number: number, status } };
    }
    if (status !== 'qr_pending')
      throw new CliError(exitCodes.failed, 'pairing_failed', `The pairing of ${number} ended: ${status}`, { hint: again });
    if (code !== null && code !== drawn) {
      await drawQrCode(code, session);
      notes.say(`Scan it with the phone of ${number}; Ctrl-C stops waiting.`);
    }
    drawn = code;
    const isInterrupted = await Promise.race([world.sleep(pollInterval), world.interrupted.then(() => true)]);
    if (isInterrupted) throw new CliError(exitCodes.interrupted, 'interrupted', 'Stopped waiting; the code can still be scanned.');
  }
}

const again = 'Run the command again for a new code.';

function isExpired(error: unknown): boolean {
  return error instanceof InterfaceError && error.status === 410;
}

function expired(number: string): CliError {
  return new CliError(exitCodes.failed, 'expired', `The code for ${number} was not scanned in time`, { hint: again, status: 410 });
}
