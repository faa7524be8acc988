import * as z from 'zod';

/** The last part of a public address, such as that of a short link. */
export const slug = () =>
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, {
    error: 'must have at most 64 letters, digits, - and _, and begin with a letter or digit',
  });
