/**
 * Why a text cannot be the address of a webhook receiver, as far as the text alone tells.
 * @returns the end of a sentence, such as `must be a URL`; undefined when nothing is wrong
 */
export function receiverUrlFlaw(text: string): string | undefined {
  // The URL parser removes white space and slashes before the host, so the text would differ from the URL that is used.
  if (!/^[a-z]+:\/\/[^\s\p{Cc}/\\][^\s\p{Cc}]*$/iu.test(text) || !URL.canParse(text)) return 'must be a URL';
  const { protocol, username, password } = new URL(text);
  if (username || password) return 'must not carry a user name or a password: sign deliveries instead';
  return protocol === 'https:' || protocol === 'http:' ? undefined : 'must begin with https://';
}
