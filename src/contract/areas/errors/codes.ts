/** The codes of calls to another server. */
export const callCodes = ['timeout', 'connection_failed', 'address_refused', 'http_3xx', 'http_4xx', 'http_5xx', 'unreadable'] as const;

/** Why a recipient of a broadcast got no message. */
export const broadcastCodes = [
  'recipient_dnd',
  'private_mode',
  'not_reachable',
  'outside_window',
  'channel_not_connected',
  'insufficient_credits',
  'missing_variable',
  'template_not_approved',
  'contact_deleted',
  'delivery_failed',
] as const;

export const errorSources = [
  'message',
  'broadcast',
  'delivery',
  'import',
  'model',
  'function',
  'tool_server',
  'scheduled_task',
  'export',
] as const;

export type ErrorSource = (typeof errorSources)[number];

const others = [
  'not_found',
  'robots',
  'too_large',
  'not_connected',
  'invalid_answer',
  'own_key_failing',
  'invalid_arguments',
  'tool_error',
  'missed',
] as const;

export const errorCodes = [...broadcastCodes, ...callCodes, ...others] as const;

/** The code of a call to another server that failed. */
export type CallCode = (typeof callCodes)[number];

export type BroadcastCode = (typeof broadcastCodes)[number];

export type ErrorCode = (typeof errorCodes)[number];

/** The code of a call that was answered with a status that is not a success. */
export function codeOfStatus(status: number): CallCode {
  if (status >= 300 && status < 400) return 'http_3xx';
  if (status >= 400 && status < 500) return 'http_4xx';
  return status >= 500 && status < 600 ? 'http_5xx' : 'unreadable';
}

/** What each code means. Holds no data of a contact, no balance and no secret. */
export const textOfCode: Readonly<Record<ErrorCode, string>> = {
  recipient_dnd: 'The contact has do-not-disturb turned on',
  private_mode: 'The contact is in private mode',
  not_reachable: 'The contact cannot be reached on the channel',
  outside_window: 'The contact had not written on chatapp within 24 hours: send a template',
  channel_not_connected: 'The channel was not connected',
  insufficient_credits: 'There were not enough credits',
  missing_variable: 'A variable of the template had no value',
  template_not_approved: 'The template was not approved',
  contact_deleted: 'The contact was deleted',
  delivery_failed: 'The channel reported that the message failed',
  timeout: 'There was no complete answer in time',
  connection_failed: 'The connection failed',
  address_refused: 'The address is private',
  http_3xx: 'The server answered with a redirect, which is not followed',
  http_4xx: 'The server refused the request, with a status from 400 to 499',
  http_5xx: 'The server failed, with a status from 500 to 599',
  unreadable: 'The answer could not be read',
  not_found: 'It does not exist',
  robots: 'The robots.txt of the website does not allow it',
  too_large: 'It is too large',
  not_connected: 'No calendar was connected',
  invalid_answer: 'The model did not answer in the form that it was asked for',
  own_key_failing: "The account's own AI key fails",
  invalid_arguments: 'The arguments of the call were wrong',
  tool_error: 'The tool reported an error',
  missed: 'It was more than 24 hours late',
};
