import iconv from 'iconv-lite';
import { Unreadable } from './document.ts';

/** How much of a page is searched for its declaration of an encoding, in bytes: as browsers do. */
const searchedBytes = 1024;

/** The characters at the beginning that show whether it is text. */
const judgedLength = 4096;

/**
 * The text of a page or a text file. The encoding is that of its byte order mark, of the header, or of its meta element;
 * else UTF-8, and Windows-1252 where that is not valid.
 * @param contentType the header, if there was one
 * @throws Unreadable when it is no text
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
  // The decoder of the platform also knows encodings with states, such as ISO-2022-JP.
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
  // Browsers read what is labelled so as the larger code page.
  return name === 'iso-8859-1' || name === 'latin1' || name === 'us-ascii' ? 'windows-1252' : name;
}

function declaredIn(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, searchedBytes).toString('latin1');
  const declaration = /<meta[^>]+charset[^>]*>/i.exec(start)?.[0];
  const name = declaration === undefined ? undefined : charsetOf(declaration);
  // The declaration itself was readable as ASCII, which UTF-16 is not.
  return name?.startsWith('utf-16') ? 'utf-8' : name;
}
