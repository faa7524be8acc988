/** The encoding that a byte order mark stands for; undefined without one. */
export function markedEncoding(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/**
 * Decodes text from outside: UTF-8, or UTF-16 with a byte order mark, as PowerShell writes it with `>`. The mark is left out.
 * @throws TypeError if the bytes are not such text
 */
export function decodePlainText(bytes: Uint8Array): string {
  return new TextDecoder(markedEncoding(bytes) ?? 'utf-8', { fatal: true }).decode(bytes);
}
