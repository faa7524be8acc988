import * as z from 'zod';
import { secret } from '../../secret.ts';

/** The most headers, and the longest value of one. */
const headersMax = 20;
const valueLength = 4_000;

/** Headers that the service sets itself (rule functions.6). */
const ownHeaders = /^(?:host|content-length|content-type|accept|connection|transfer-encoding|x-webhook-.*|mcp-.*)$/i;

/** Headers about the connection, which requests of the service cannot have (rule functions.6). */
const connectionHeaders = /^(?:expect|keep-alive|upgrade|te|trailer|proxy-connection)$/i;

/** The characters of a header's name, by RFC 9110. */
const headerName = /^[!#$%&'*+.^_`|~\dA-Za-z-]{1,200}$/;

/** The value of a header. */
export const headerValue = () =>
  secret(
    z
      .string()
      .max(valueLength)
      // Control characters would end the header.
      .regex(/^[\t\u{20}-\u{7E}\u{A0}-\u{FF}]*$/u, { error: 'must have only characters of Latin-1, in one line' }),
  );

/** Headers in a request. A value of `********` keeps the stored one. */
export const newHeaders = () => headersWith(headerValue());

/** Headers by name. @param value what their values can be */
export const headersWith = <Value extends z.ZodType>(value: Value) =>
  z.record(z.string(), value).superRefine((headers, context) => {
    const names = Object.keys(headers);
    const flaw = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message });
    if (names.length > headersMax) context.addIssue({ code: 'custom', message: `must be at most ${headersMax} headers` });
    for (const [index, name] of names.entries()) {
      if (!headerName.test(name)) flaw(name, 'is not the name of a header');
      else if (ownHeaders.test(name)) flaw(name, 'is a header that the service sets itself');
      else if (connectionHeaders.test(name)) flaw(name, 'is a header about the connection, which requests cannot have');
      else if (names.slice(0, index).some((other) => other.toLowerCase() === name.toLowerCase())) flaw(name, 'is there twice');
    }
  });

/** Headers as answers show them: with their values masked. */
export const headers = () => z.record(z.string(), secret(z.string()));
