/**
 * Names that the library for encodings knows, although nobody means them as the encoding of a text: they write bytes as text, or
 * are forms of Unicode that browsers do not read.
 */
const others = /^(base64|hex|binary|utf7|unicode11utf7|utf7imap|cesu8|utf32(le|be)?|ucs4(le|be)?)$/;

/** Whether a name may be that of a character set. Compares names as the library does: without punctuation and year. */
export function mayBeCharacterSet(name: string): boolean {
  return !others.test(name.toLowerCase().replace(/:\d{4}$|[^0-9a-z]/g, ''));
}
