import type { Answer } from '../../../contract/endpoint.ts';
import { compareHost, discoverPages } from '../../../contract/areas/kb/endpoints.ts';
import type { Session } from '../../command/noun.ts';
import { awaitPrompt } from '../../command/prompting.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { terminalText } from '../../output/cell.ts';
import { counted } from '../../../contract/counted.ts';
import { readPresent } from './present.ts';

type Found = Answer<typeof discoverPages>;
export type FoundPage = Pick<Found['pages'][number], 'url' | 'score' | 'recommendation' | 'reason_key'> & {
  readonly title?: string | null;
};

/** The pages of a website, and what else the service says about the search: whether it has found all of them. */
interface FoundPages {
  readonly pages: readonly FoundPage[];
  readonly search: Pick<Found, 'source_type' | 'max_pages' | 'limit_reached' | 'limit_notice'>;
}

/**
 * Finds the pages of a website.
 * @param onlyNew whether to return only pages that are not in the knowledge base
 * @throws CliError 1 if the website cannot be read
 */
export async function findPages(
  { targets, notes }: Session,
  url: string,
  maxPages: number | undefined,
  onlyNew: boolean,
): Promise<FoundPages> {
  const client = await targets.client();
  const limit = maxPages === undefined ? {} : { maxPages };
  const answer = onlyNew
    ? await client.call(compareHost, { body: { baseUrl: url, ...limit } })
    : await client.call(discoverPages, { body: { url, ...limit } });
  if (answer.error !== undefined)
    throw new CliError(exitCodes.failed, 'unreadable_site', `${url} cannot be read: ${answer.error}`, {
      hint: 'Check the address in a browser.',
    });
  if (answer.limit_notice !== null) notes.say(`${answer.limit_notice}.`);
  const { source_type, max_pages, limit_reached, limit_notice } = answer;
  return { pages: 'pages' in answer ? answer.pages : answer.new_pages, search: { source_type, max_pages, limit_reached, limit_notice } };
}

/** A page, and whether it is in the knowledge base. */
interface MarkedPage extends FoundPage {
  readonly present: boolean;
}

/** Adds to pages whether they are in the knowledge base. */
export async function markPresent({ targets }: Session, pages: readonly FoundPage[]): Promise<MarkedPage[]> {
  const isPresent = await readPresent(
    await targets.client(),
    pages.map(({ url }) => url),
  );
  return pages.map((page) => ({ ...page, present: isPresent(page.url) }));
}

/** Prompts the user to select pages. Recommended pages are preselected, unless they are already in the knowledge base. */
export async function choosePages({ world }: Session, pages: readonly MarkedPage[]): Promise<string[]> {
  const { checkbox } = await import('@inquirer/prompts');
  const choices = pages.map(({ url, score, recommendation, title, present }) => ({
    name: `${String(score).padStart(3)}  ${terminalText(`${url}${present ? '  (there already)' : ''}  ${title ?? ''}`.trimEnd())}`,
    short: terminalText(url),
    value: url,
    checked: recommendation === 'add' && !present,
  }));
  const message = `${counted(pages.length, 'page')}: choose those to import (the recommended ones are marked)`;
  return await awaitPrompt(checkbox({ message, choices, pageSize: 15, loop: false }, { input: world.stdin, output: world.stderr }));
}
