import type { Client } from '../../../client/client.ts';
import { lacksEndpoint } from '../../../client/errors.ts';
import { getSource, getSourceText } from '../../../contract/areas/kb/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { counted } from '../../../contract/text/counted.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { sourceLookup } from '../../lookups/sources.ts';
import { terminalSafe } from '../../output/cell.ts';
import type { Result } from '../../output/result.ts';
import { wrappedFor } from '../../output/wrap.ts';
import type { Session } from '../../verb/noun.ts';
import type { Output } from '../../world.ts';

type SourceText = Answer<typeof getSourceText>;

/** Shows the text that was read of a source: its sections, each with the FAQs that were made of it. */
export async function showText({ world, targets, names }: Session, name: string): Promise<Result> {
  const client = await targets.client();
  const id = await names.id(sourceLookup, name);
  const read = await readText(client, id);
  const { success: _, ...record } = read as SourceText & { success?: boolean };
  const text = read.sections.length === 0 ? await whyEmpty(client, id) : draw(read);
  return { kind: 'record', answer: { ...read }, record, text: withWrappedProse(world.stdout, text) };
}

/** A text for a stream. Lines of code and of tables are not wrapped. */
function withWrappedProse(stream: Output, text: string): string {
  const isProse = (line: string) => !/^\s|\s\|\s/.test(line);
  const lines = text.split('\n').map((line) => (isProse(line) ? wrappedFor(stream, line) : line));
  return lines.join('\n');
}

/** Why no text of a source is stored. */
async function whyEmpty(client: Client, sourceId: string): Promise<string> {
  const source = await client.call(getSource, { params: { sourceId } });
  if (source.status === 'failed') return `Nothing was read: ${terminalSafe(source.error_message ?? 'the import failed')}\n`;
  if (source.status !== 'ready') return `Nothing was read yet: the source is ${source.status}.\n`;
  return 'No text of it is stored: it was read by an older version.\n';
}

/** @throws CliError 5 when there is no such source, or the service does not show what it read */
async function readText(client: Client, sourceId: string): Promise<SourceText> {
  try {
    return await client.call(getSourceText, { params: { sourceId } });
  } catch (error) {
    if (!lacksEndpoint(error)) throw error;
    await client.call(getSource, { params: { sourceId } });
    throw new CliError(exitCodes.notFound, 'not_found', 'The service does not show the texts of sources', {
      hint: '`msgctl faqs list` shows the FAQs that were made of them.',
    });
  }
}

function draw({ title, kept, sections }: SourceText): string {
  const name = title === null ? '' : `${terminalSafe(title)}\n`;
  const drawn = sections.map(({ heading, text, faq_ids: ids }) => {
    const above = heading === null ? '' : `# ${terminalSafe(heading)}\n`;
    const below = ids.length === 0 ? '' : `\n(${counted(ids.length, 'FAQ')}: ${ids.join(', ')})`;
    return above + terminalSafe(text) + below;
  });
  return `${name}${keptNote(kept)}\n\n${drawn.join('\n\n')}\n`;
}

/** Says how much of a source was read. */
function keptNote(kept: number): string {
  return kept >= 1 ? 'All of its text was read.' : `${percent(kept)} of its text was read.`;
}

/** The share of a page below which its import is worth a look. */
const keptMin = 0.5;

/** The number of sources whose texts are looked at after an import. */
const sourcesMax = 100;

/** Warns of pages of which less than half was read. The import is done, so it does not matter when the service does not tell of one. */
export async function warnOfLeftOut(
  { targets, notes }: Session,
  pages: readonly { readonly id: string; readonly ref: string }[],
): Promise<void> {
  const client = await targets.client();
  for (const { id, ref } of pages.slice(0, sourcesMax)) {
    const read = await client
      .call(getSourceText, { params: { sourceId: id } })
      .catch((error: unknown) => (lacksEndpoint(error) ? undefined : null));
    if (read === undefined) return;
    if (read !== null && read.sections.length > 0 && read.kept < keptMin)
      notes.always(`Only ${percent(read.kept)} of the text of ${ref} was read: \`msgctl kb text ${id}\` shows it.`);
  }
  if (pages.length > sourcesMax)
    notes.say(`The first ${sourcesMax} pages were checked for text that was left out: \`msgctl kb text\` tells it of each of the others.`);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
