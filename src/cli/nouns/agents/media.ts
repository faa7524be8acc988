import { basename, extname } from 'node:path';
import { addMedia as endpoint, listMedia, removeMedia as removal } from '../../../contract/areas/media/endpoints.ts';
import { definedFields } from '../../../contract/defined-fields.ts';
import { didYouMean } from '../../did-you-mean.ts';
import { uploadFiles } from '../../documents/stored-files.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { agentLookup } from '../../lookups/agents.ts';
import type { Result } from '../../output/result.ts';
import { shellWord } from '../../output/shell-word.ts';
import type { Options, Session } from '../../verb/noun.ts';

/** Lets an agent send a file, which is uploaded first unless it is in the storage of the account. */
export async function addMedia(session: Session, [word = '', file]: readonly string[], options: Options): Promise<Result> {
  const { name, description, storagePath } = options as Readonly<Record<string, string | undefined>>;
  if ((file === undefined) === (storagePath === undefined))
    throw usageError('Give either a file or --storage-path', 'msgctl agents media add Ada menu.pdf');
  const agentId = await session.names.id(agentLookup, word);
  const path = storagePath ?? (await uploadFiles(session, [file ?? '']))[0] ?? '';
  const fileName = basename(file ?? path, extname(file ?? path));
  const body = { storage_path: path, name: name ?? fileName, ...definedFields({ description }) };
  const answer = await (await session.targets.client()).call(endpoint, { params: { agentId }, body });
  return { kind: 'record', answer, record: answer.media };
}

/** Finds a file of an agent by its id or its name. @throws CliError 5 if there is none */
export async function findMedia(session: Session, agent: string, word: string): Promise<{ agentId: string; id: string; name: string }> {
  const agentId = await session.names.id(agentLookup, agent);
  const names: string[] = [];
  for await (const { rows } of (await session.targets.client()).pages(listMedia, { params: { agentId } })) {
    for (const { id, name } of rows as { id: string; name: string }[]) {
      if (id === word || name === word) return { agentId, id, name };
      names.push(name);
    }
  }
  const meant = didYouMean(word, names);
  throw new CliError(exitCodes.notFound, 'not_found', `The agent ${agent} has no file '${word}'`, {
    hint: `${meant === undefined ? '' : `${meant} `}\`msgctl agents media list ${shellWord(agent)}\` lists them.`,
  });
}

/** Takes a file away from an agent. */
export async function removeMedia(session: Session, [agent = '', word = '']: readonly string[]): Promise<Result> {
  const { agentId, id, name } = await findMedia(session, agent, word);
  const answer = await (await session.targets.client()).call(removal, { params: { agentId, mediaId: id } });
  session.notes.say(`The agent ${agent} no longer sends '${name}'.`);
  return { kind: 'record', answer, record: {}, columns: [] };
}
