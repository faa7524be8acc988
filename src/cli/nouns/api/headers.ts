import { usageError } from '../../errors.ts';

/** The headers that the program sets itself: credentials are from the profile, and the others describe the connection. */
const own =
  /^(?:authorization|proxy-authorization|cookie|host|connection|content-length|transfer-encoding|keep-alive|upgrade|te|trailer|expect)$/;

/**
 * Collects the values of `-H`. Names are lower-cased, and a repeated name replaces the earlier value.
 * @throws CliError 2 unless the text is `Name: value`. The error does not repeat the value, which may be a secret.
 */
export function parseHeader(text: string, previous: unknown): Readonly<Record<string, string>> {
  const [, name, value = ''] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(text) ?? [];
  if (name === undefined) throw usageError("A header must be 'Name: value'", "For example: -H 'Accept-Language: de'");
  if (own.test(name.toLowerCase()))
    throw usageError(
      `-H cannot set ${name}`,
      'The key comes from the profile or MSGCTL_API_KEY; msgctl sets the headers of the connection itself.',
    );
  return { ...(previous as Readonly<Record<string, string>> | undefined), [name.toLowerCase()]: value.trimEnd() };
}
