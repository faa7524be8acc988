import { listPipelines } from '../../contract/areas/pipelines/endpoints.ts';
import { fold } from '../../contract/text/fold.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import type { Session } from '../verb/noun.ts';
import { pipelineLookup } from './pipelines.ts';

/** What the shell completes for a stage. */
export const stageLookup = { ...pipelineLookup, what: 'stage', within: 'stages' };

/**
 * The id of the stage that a word names: its id, its name, or the names of pipeline and stage as `Sales/Won`.
 * @throws CliError 5 if there is none, 2 if several pipelines have one of this name
 */
export async function stageIdOf({ targets }: Session, word: string): Promise<string> {
  if (word.startsWith('stg_')) return word;
  const pipelines = await (await targets.client()).all(listPipelines, {});
  const all = pipelines.flatMap(({ name: pipeline, stages }) => stages.map(({ id, name }) => ({ id, name, path: `${pipeline}/${name}` })));
  const named = all.filter(({ name, path }) => [name, path].some((each) => fold(each) === fold(word)));
  const [first, ...others] = named;
  if (!first)
    throw new CliError(exitCodes.notFound, 'not_found', `There is no stage '${word}'`, { hint: '`msgctl pipelines list` lists them.' });
  if (others.length > 0)
    throw usageError(`Several pipelines have a stage '${word}'`, `Say which one: ${named.map(({ path }) => `'${path}'`).join(' or ')}`);
  return first.id;
}
