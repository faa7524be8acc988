import iconv from 'iconv-lite';
import { Unreadable } from './document.ts';

/** The number of bytes at the beginning of a page that are searched for a charset declaration, as in browsers. */
const searchedBytes = 1024;

/** The number of characters at the beginning that are checked for being text. */
const judgedLength = 4096;

/**
 * Decodes a page or a text file. The encoding comes from the byte order mark, the header, or the meta element. Otherwise it is
 * UTF-8, or Windows-1252 if the bytes are not valid UTF-8.
 * @param contentType the header, if present
 * @throws Unreadable when it is not text
 */
export function decodeText(bytes: Buffer, contentType: string | null): string {
  const text = decode(bytes, contentType);
  const start = text.slice(0, judgedLength);
  const controls = start.length - start.replace(/[\0-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]/g, '').length;
  if (controls > start.length / 10) throw new Unreadable('It is not text');
  return text;
}

function decode(bytes: Buffer, contentType: string | null): string {
  const named = markOf(bytes) ?? charsetOf(contentType ?? '') ?? declaredIn(bytes);
  if (named !== undefined && iconv.encodingExists(named)) return iconv.decode(bytes, named);
  // The platform's TextDecoder also supports stateful encodings, such as ISO-2022-JP.
  if (named !== undefined && isKnown(named)) return new TextDecoder(named).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return iconv.decode(bytes, 'windows-1252');
  }
}

function isKnown(encoding: string): boolean {
  try {
    return new TextDecoder(encoding).encoding !== '';
  } catch {
    return false;
  }
}

function markOf(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

function charsetOf(text: string): string | undefined {
  const name = /charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(text)?.[1]?.toLowerCase();
  // Like browsers, decodes these labels as the superset Windows-1252.
  return name === 'iso-8859-1' || name === 'latin1' || name === 'us-ascii' ? 'windows-1252' : name;
}

function declaredIn(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, searchedBytes).toString('latin1');
  const declaration = /<meta[^>]+charset[^>]*>/i.exec(start)?.[0];
  const name = declaration === undefined ? undefined : charsetOf(declaration);
  // The declaration was readable as ASCII, so the page cannot be UTF-16.
  return name?.startsWith('utf-16') ? 'utf-8' : name;
}
