import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { mayBeCharacterSet } from '../../../../contract/text/character-sets.ts';
import { markedEncoding } from '../../../../contract/text/plain-text.ts';
import { Unreadable } from './document.ts';

/** The number of bytes at the beginning of a page that are searched for a charset declaration, as in browsers. */
const searchedBytes = 1024;

/** The number of characters at the beginning that are checked for being text. */
const judgedLength = 4096;

/**
 * Decodes a page or a text file.
 * @param contentType the header, if present
 * @throws Unreadable when it is not text
 */
export function decodeText(bytes: Buffer, contentType: string | null): string {
  const text = decodeAs(encodingOf(bytes, contentType), bytes);
  const start = text.slice(0, judgedLength);
  const controls = start.length - start.replace(/[\0-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]/g, '').length;
  if (controls > start.length / 10) throw new Unreadable('It is not text');
  return text;
}

/**
 * The encoding of a text, from its byte order mark, the header, the meta element or the XML declaration. Otherwise it is UTF-8, or
 * Windows-1252 if the bytes are not valid UTF-8. Names of no character set do not count, nor does a header that does not fit if
 * what the text says does.
 * @param contentType the header, if present
 */
export function encodingOf(bytes: Buffer, contentType: string | null): string {
  const marked = markedEncoding(bytes) ?? unmarkedUtf16(bytes);
  if (marked !== undefined) return marked;
  const header = encodingNamed(charsetIn(contentType ?? ''), bytes);
  const declared = encodingNamed(declaredIn(bytes), bytes);
  if (header !== undefined && declared !== undefined && header !== declared) return fits(declared, header, bytes) ? declared : header;
  return header ?? declared ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252');
}

/** Whether what a text says of its encoding fits, and the header does not. */
function fits(declared: string, header: string, bytes: Buffer): boolean {
  // Bytes of another encoding are hardly ever valid UTF-8.
  if (declared === 'utf-8') return isUtf8(bytes) && bytes.some((byte) => byte > 0x7f);
  const isHeaderWrong = header === 'utf-8' ? !isUtf8(bytes) : decodeAs(header, bytes).includes('\ufffd');
  return isHeaderWrong && !decodeAs(declared, bytes).includes('\ufffd');
}

/** UTF-16 without a byte order mark has zeros beside the letters of its beginning. */
function unmarkedUtf16(bytes: Buffer): string | undefined {
  const [first, second, third, fourth] = bytes;
  if (first && second === 0 && third && fourth === 0) return 'utf-16le';
  return first === 0 && second && third === 0 && fourth ? 'utf-16be' : undefined;
}

function decodeAs(encoding: string, bytes: Buffer): string {
  return iconv.encodingExists(encoding) ? iconv.decode(bytes, encoding) : new TextDecoder(encoding).decode(bytes);
}

/** Decodes a text that comes in pieces. */
export function decoderOf(encoding: string): (piece: Buffer) => string {
  if (iconv.encodingExists(encoding)) {
    const decoder = iconv.getDecoder(encoding);
    return (piece) => decoder.write(piece);
  }
  // The platform's TextDecoder also supports stateful encodings, such as ISO-2022-JP.
  const decoder = new TextDecoder(encoding);
  return (piece) => decoder.decode(piece, { stream: true });
}

/** The encoding that a name stands for; undefined when it stands for none, or for one that the bytes cannot have. */
function encodingNamed(name: string | undefined, bytes: Buffer): string | undefined {
  if (name === undefined || !mayBeCharacterSet(name)) return undefined;
  const encoding = labelled(name) ?? (iconv.encodingExists(name) ? name : undefined);
  // In UTF-16, the letters of markup have zeros beside them.
  const cannotBe = /^(utf-?16|ucs-?2)/.test(encoding ?? '') && !bytes.subarray(0, searchedBytes).includes(0);
  return cannotBe ? undefined : encoding;
}

/** The encoding that browsers use for a label: for `latin1`, for example, its superset Windows-1252. */
function labelled(name: string): string | undefined {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}

function charsetIn(text: string): string | undefined {
  return /charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(text)?.[1]?.toLowerCase();
}

/** The name in the meta element, or else in the XML declaration. */
function declaredIn(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, searchedBytes).toString('latin1');
  const declaration = /<meta[^>]+charset[^>]*>/i.exec(start)?.[0];
  if (declaration !== undefined) return charsetIn(declaration);
  return /^<\?xml\s[^>]*encoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1]?.toLowerCase();
}
