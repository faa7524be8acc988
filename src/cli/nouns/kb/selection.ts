import { documentEndings, formatOfName } from '../../../contract/areas/kb/formats.ts';
import type { Options, Session } from '../../command/noun.ts';
import { type StoredFile, storedFiles } from '../../documents/stored-files.ts';
import { usageError } from '../../errors.ts';
import { readUserFile } from '../../files/read.ts';

/** What is to be imported. */
export interface Selection {
  readonly urls: readonly string[];
  /** Where addresses stand that were read from a file: `line 3 of pages.txt`. */
  readonly places: ReadonlyMap<string, string>;
  /** The paths of documents on this machine. */
  readonly files: readonly string[];
  readonly stored: readonly StoredFile[];
}

/**
 * Reads what a command line names: addresses, documents on this machine, `-` for addresses on stdin, `@file` for a file of
 * addresses, and documents that are in the storage already.
 * @throws CliError 2 when there is nothing, or something that cannot be imported
 */
export async function readSelection(session: Session, words: readonly string[], options: Options): Promise<Selection> {
  const urls: string[] = [];
  const files: string[] = [];
  const places = new Map<string, string>();
  const take = (text: string, file: string) => {
    for (const { url, line } of addressesIn(text, file)) {
      urls.push(url);
      if (!places.has(url)) places.set(url, `line ${line} of ${file}`);
    }
  };
  for (const word of words) {
    if (word === '-') take(await session.readStdin(), 'stdin');
    else if (word.startsWith('@')) take((await readUserFile(word.slice(1))).toString('utf8'), word.slice(1));
    else if (isAddress(word)) urls.push(word);
    else if (formatOfName(word)) files.push(word);
    else
      throw usageError(
        `'${word}' is neither an address nor a document`,
        `Addresses begin with https://; documents end in ${documentEndings}.`,
      );
  }
  const stored = storedFiles(options);
  if (urls.length + files.length + stored.length === 0)
    throw usageError('Nothing to import', 'Give the addresses of pages, documents, or --storage-path.');
  return { urls: [...new Set(urls)], places, files, stored };
}

/** The addresses in a text, one a line. Empty lines, and those that begin with #, are passed over. */
function addressesIn(text: string, file: string): { url: string; line: number }[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const wrong = lines.findIndex((line) => line !== '' && !line.startsWith('#') && !isAddress(line));
  if (wrong >= 0) throw usageError(`Line ${wrong + 1} of ${file} is not an address: ${lines[wrong]}`, 'Put an address on each line.');
  return lines.flatMap((url, index) => (isAddress(url) ? [{ url, line: index + 1 }] : []));
}

function isAddress(word: string): boolean {
  return /^https?:\/\//i.test(word) && URL.canParse(word);
}
