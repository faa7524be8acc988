import { listGaps } from '../../contract/areas/gaps/endpoints.ts';
import type { Answer } from '../../contract/endpoint.ts';
import { foldCase } from '../../contract/text/fold.ts';
import { someOf } from '../../contract/text/some-of.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { isId } from '../verb/names.ts';
import type { Session } from '../verb/noun.ts';
import { lookup } from '../verb/lookup.ts';

type Gap = Answer<typeof listGaps>['gaps'][number];

/** Gaps, for the shell to complete. */
export const gapLookup = lookup(listGaps, 'gaps', 'question', { what: 'gap', value: 'question', listedBy: 'kb gaps' });

/**
 * Finds a gap by its id, or by words that one open gap alone has, in its question or another wording.
 * @throws CliError 2 if several open gaps have the words, 5 if none has
 */
export async function findGap({ targets }: Session, words: string): Promise<string> {
  if (isId(words)) return words;
  const client = await targets.client();
  const wanted = wordsOf(words);
  const found: Gap[] = [];
  for await (const { rows } of client.pages(listGaps, { query: { status: 'open' } }))
    found.push(...(rows as readonly Gap[]).filter((gap) => wanted.length > 0 && hasWords(gap, wanted)));
  const [gap, ...others] = found;
  if (!gap) {
    const hint = 'msgctl kb gaps lists them, with their ids.';
    throw new CliError(exitCodes.notFound, 'not_found', `No open gap has the words '${words}'`, { hint });
  }
  if (others.length === 0) return gap.id;
  const questions = found.map(({ question }) => `'${question}'`);
  throw usageError(`Several open gaps have the words '${words}': ${someOf(questions)}`, 'Give more words, or an id.');
}

function hasWords({ question, wordings }: Gap, wanted: readonly string[]): boolean {
  return [question, ...wordings].some((wording) => {
    const words = new Set(wordsOf(wording));
    return wanted.every((word) => words.has(word));
  });
}

function wordsOf(text: string): string[] {
  return foldCase(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}
