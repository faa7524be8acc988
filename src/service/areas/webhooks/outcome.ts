import { type CallCode, codeOfStatus } from '../../../contract/areas/errors/codes.ts';
import type { FailureType } from '../../../contract/areas/webhooks/endpoints.ts';
import { describeNetworkError, networkErrorCode } from '../../../contract/network-errors.ts';

/** The result of an attempt. */
export interface DeliveryOutcome {
  readonly delivered: boolean;
  /** Null when it was delivered. */
  readonly failureType: FailureType | null;
  /** Null without an HTTP response. */
  readonly statusCode: number | null;
  readonly errorMessage: string;
  readonly responseBody: string | null;
}

/** The outcome of an attempt that got a response. A redirect is a failure and is not followed. */
export function outcomeOfAnswer(status: number, body: string): DeliveryOutcome {
  const delivered = status >= 200 && status < 300;
  return {
    delivered,
    failureType: delivered ? null : status >= 600 ? 'unknown' : status >= 500 ? 'temporary' : status >= 300 ? 'permanent' : 'unknown',
    statusCode: status,
    errorMessage: delivered ? '' : `The receiver answered ${status}`,
    responseBody: body,
  };
}

/**
 * The outcome of an attempt without a complete response. A response that was cut off after its headers has a status, which decides
 * unless it would be a success.
 */
export function outcomeOfError(error: Error): DeliveryOutcome {
  const { statusCode = null } = error as { statusCode?: number | null };
  const answered = statusCode === null ? null : outcomeOfAnswer(statusCode, '');
  if (answered?.delivered === false) return { ...answered, responseBody: null };
  const errorMessage = describe(error, statusCode !== null);
  return { delivered: false, failureType: failureTypeOf(error), statusCode, errorMessage, responseBody: null };
}

const networkCodes =
  /^(E[A-Z]+|UND_ERR_(SOCKET|CONNECT_TIMEOUT)|CERT_.*|.*_CERT.*|ERR_TLS_.*|ERR_SSL_.*|UNABLE_TO_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|HPE_.*)$/;

function failureTypeOf(error: Error): FailureType {
  if (error.name === 'RefusedAddress') return 'permanent';
  if (error.name === 'TimeoutError') return 'timeout';
  return networkCodes.test(networkErrorCode(error)) ? 'network' : 'unknown';
}

function describe(error: Error, hasStatus: boolean): string {
  if (error.name === 'TimeoutError') return 'The receiver did not answer in time';
  if (error.name === 'RefusedAddress') return error.message;
  const code = networkErrorCode(error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return "The headers of the receiver's answer are too large";
  if (hasStatus && /^(ECONNRESET|UND_ERR_SOCKET)$/.test(code)) return 'The connection was closed before the answer was complete';
  const description = describeNetworkError(code);
  // The library's message is not used, because it can contain names of its source files.
  if (description === undefined) return `The delivery failed${code && ` (${code})`}`;
  return `${description.charAt(0).toUpperCase()}${description.slice(1)}`;
}

/** Why an attempt failed, for the error log. */
export function codeOf({ statusCode, failureType }: DeliveryOutcome): CallCode {
  if (statusCode !== null && statusCode >= 300) return codeOfStatus(statusCode);
  if (failureType === 'timeout') return 'timeout';
  if (failureType === 'network') return 'connection_failed';
  return failureType === 'permanent' ? 'address_refused' : 'unreadable';
}
