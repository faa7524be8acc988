import { createRequire } from 'node:module';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { mayBeCharacterSet } from '../../src/contract/text/character-sets.ts';

/** All names that the library knows. */
const names = Object.keys(createRequire(import.meta.url)('iconv-lite/encodings') as object).filter((name) => !name.startsWith('_'));

describe('the names of character sets', () => {
  it('are those that the library knows, except ways to write bytes as text, and forms of Unicode that browsers do not read', () => {
    expect(names.length).toBeGreaterThan(300);
    expect(names.filter((name) => !mayBeCharacterSet(name)).sort()).toEqual(
      [
        ...['base64', 'binary', 'cesu8', 'hex', 'ucs4', 'ucs4be', 'ucs4le', 'unicode11utf7'],
        ...['utf32', 'utf32be', 'utf32le', 'utf7', 'utf7imap'],
      ].sort(),
    );
  });

  it('are compared as the library does, without punctuation and year', () => {
    for (const name of ['BASE64', 'base-64', 'base64:1999', 'h.e.x', 'UTF-7', 'utf_7_imap']) {
      expect([name, iconv.encodingExists(name), mayBeCharacterSet(name)]).toEqual([name, true, false]);
    }
    for (const name of ['UTF-8', 'utf-16', 'ISO_8859-1:1987', 'cp850', 'windows-1252']) expect(mayBeCharacterSet(name)).toBe(true);
  });
});
