import { documentEndings, formatOfName } from '../../../contract/areas/kb/formats.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { type StoredFile, storedFiles } from '../../documents/stored-files.ts';
import { usageError } from '../../errors.ts';
import { readUserText } from '../../files/read.ts';

/** The sources to import. */
export interface SourceSelection {
  readonly urls: readonly string[];
  /** Where URLs were found that were read from a file: `line 3 of pages.txt`. */
  readonly places: ReadonlyMap<string, string>;
  /** The paths of local documents. */
  readonly files: readonly string[];
  readonly stored: readonly StoredFile[];
}

/**
 * Reads the sources given on the command line: URLs, local documents, `-` for URLs on stdin, `@file` for a file of URLs, and
 * documents that are already in the storage.
 * @throws CliError 2 if there are none, or one cannot be imported
 */
export async function readSourceSelection(session: Session, words: readonly string[], options: Options): Promise<SourceSelection> {
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
    else if (word.startsWith('@')) take(await readUserText(word.slice(1)), word.slice(1));
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
    throw usageError('Nothing to import', 'Give addresses of pages, documents, or --storage-path.');
  return { urls: [...new Set(urls)], places, files, stored };
}

/** The URLs in a text, one per line. Skips empty lines and lines that start with #. */
function addressesIn(text: string, file: string): { url: string; line: number }[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const wrong = lines.findIndex((line) => line !== '' && !line.startsWith('#') && !isAddress(line));
  if (wrong >= 0) throw usageError(`Line ${wrong + 1} of ${file} is not an address: ${lines[wrong]}`, 'Put one address on each line.');
  return lines.flatMap((url, index) => (isAddress(url) ? [{ url, line: index + 1 }] : []));
}

function isAddress(word: string): boolean {
  return /^https?:\/\//i.test(word) && URL.canParse(word);
}
