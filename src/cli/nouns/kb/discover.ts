import type { Answer } from '../../../contract/endpoint.ts';
import { compareHost, discoverPages } from '../../../contract/areas/kb/endpoints.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { awaitPrompt } from '../../verb/prompting.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { terminalText } from '../../output/cell.ts';
import { counted } from '../../../contract/text/counted.ts';
import { type Result, wholeList } from '../../output/result.ts';
import { readPresent } from './present.ts';

type Found = Answer<typeof discoverPages>;
type FoundPage = Found['pages'][number];

/** Lists the pages of a website. @throws CliError 1 if the website cannot be read */
export async function listPages(session: Session, url: string, options: Options): Promise<Result> {
  const { maxPages } = options as { maxPages?: number };
  if (!options.new) {
    const { pages, ...further } = await findPages(session, url, maxPages);
    return { ...wholeList('pages', pages), totals: () => further };
  }
  const client = await session.targets.client();
  const answer = await client.call(compareHost, { body: { baseUrl: url, ...(maxPages !== undefined && { maxPages }) } });
  const { new_pages: pages, ...further } = readable(answer, url, session);
  return { ...wholeList('pages', pages), totals: () => further };
}

/** Finds the pages of a website. @throws CliError 1 if the website cannot be read */
export async function findPages(session: Session, url: string, maxPages: number | undefined): Promise<Found> {
  const client = await session.targets.client();
  const answer = await client.call(discoverPages, { body: { url, ...(maxPages !== undefined && { maxPages }) } });
  return readable(answer, url, session);
}

/** Says when not all pages were found. @throws CliError 1 if the answer is that the website cannot be read */
function readable<Answered extends Pick<Found, 'error' | 'limit_notice'>>(answer: Answered, url: string, { notes }: Session): Answered {
  if (answer.error !== undefined)
    throw new CliError(exitCodes.failed, 'unreadable_site', `${url} cannot be read: ${answer.error}`, {
      hint: 'Check the address in a browser.',
    });
  if (answer.limit_notice !== null) notes.say(`${answer.limit_notice}.`);
  return answer;
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
    name: `${String(score).padStart(3)}  ${terminalText(`${url}${present ? '  (in the knowledge base)' : ''}  ${title ?? ''}`.trimEnd())}`,
    short: terminalText(url),
    value: url,
    checked: recommendation === 'add' && !present,
  }));
  const message = `${counted(pages.length, 'page')}: choose those to import (the recommended ones are marked)`;
  return await awaitPrompt(checkbox({ message, choices, pageSize: 15, loop: false }, { input: world.stdin, output: world.stderr }));
}
