/** The header by which a request is found in the logs of both sides. Every answer has it. */
export const requestIdHeader = 'x-request-id';

/** Whether a text can be the id of a request: 1 to 128 characters of ASCII that can be seen. */
export function isRequestId(text: string): boolean {
  return /^[!-~]{1,128}$/.test(text);
}
