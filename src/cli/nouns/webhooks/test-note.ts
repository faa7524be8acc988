import type { Answer } from '../../../contract/endpoint.ts';
import type { testWebhook } from '../../../contract/areas/webhooks/endpoints.ts';

/** What the answer to a test delivery means, and what to do about a failure. */
export function testNote({ delivered, failure_type: type, error_message: error }: Answer<typeof testWebhook>): string {
  if (delivered) return 'The receiver accepted the test delivery.';
  return `Not delivered: ${error ?? 'for an unknown reason'}. ${adviceFor(type)}`;
}

const advice: Partial<Record<string, string>> = {
  permanent: 'Such deliveries are not retried: the receiver must answer 2xx at this address, without a redirect.',
  temporary: 'The receiver failed. With --retries-enabled, such deliveries are retried.',
  timeout: 'The receiver must answer within 10 seconds: answer first, then process the delivery.',
  network: 'The receiver cannot be reached: `msgctl webhooks doctor` checks its name, address and certificate.',
};

function adviceFor(failureType: string | undefined): string {
  return advice[failureType ?? ''] ?? '`msgctl webhooks doctor` checks further.';
}
