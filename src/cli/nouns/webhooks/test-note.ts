import type { Answer } from '../../../contract/endpoint.ts';
import type { testWebhook } from '../../../contract/areas/webhooks/endpoints.ts';
import { shellWord } from '../../output/shell-word.ts';

/**
 * Explains the result of a test delivery, and what to do about a failure.
 * @param id the id or name of the webhook
 */
export function testNote(
  { delivered, failure_type: type, error_message: error }: Answer<typeof testWebhook>,
  [id = '']: readonly string[],
): string {
  if (delivered) return 'The receiver accepted the test delivery.';
  return `Not delivered: ${error ?? 'for an unknown reason'}. ${adviceFor(type, `msgctl webhooks doctor ${shellWord(id)}`)}`;
}

function adviceFor(failureType: string | undefined, doctor: string): string {
  switch (failureType) {
    case 'permanent':
      return 'Deliveries that fail this way are not retried: the receiver must answer 2xx at this address, without a redirect.';
    case 'temporary':
      return 'The receiver failed. With --retries-enabled, deliveries that fail this way are retried.';
    case 'timeout':
      return 'The receiver must answer within 10 seconds: let it answer first, then process the delivery.';
    case 'network':
      return `The receiver cannot be reached: \`${doctor}\` checks its name, address and certificate.`;
    default:
      return `\`${doctor}\` looks for the cause.`;
  }
}
