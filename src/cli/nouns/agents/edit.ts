import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DryRun } from '../../../client/errors.ts';
import { getAgent, updateAgent } from '../../../contract/areas/agents/endpoints.ts';
import { schemaOf } from '../../../contract/endpoint.ts';
import { problemOf } from '../../../contract/issues.ts';
import { limits } from '../../../contract/limits.ts';
import type { Session } from '../../verb/noun.ts';
import { shellWord } from '../../output/shell-word.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { readUserText } from '../../files/read.ts';
import { toCliError } from '../../explain.ts';
import { agentLookup } from '../../lookups/agents.ts';
import { isRow, type Result, type ResultRow } from '../../output/result.ts';
import { screenOf } from '../../output/screen.ts';
import { parseYaml, yamlText } from '../../output/yaml.ts';
import type { World } from '../../world.ts';
import { changesBetween, changesText } from './changes.ts';

/**
 * Opens the configuration of an agent in the user's editor. The edited text is validated, shown as a diff, and sent after
 * confirmation. If it is refused or anything fails, the file with the edited text is kept.
 * @throws CliError 2 if there is no editor or the text is invalid; 1 if the user declines or the editor fails
 */
export async function edit(session: Session, word: string): Promise<Result> {
  const { world, names, notes, targets } = session;
  const client = await targets.client();
  const params = { agentId: await names.id(agentLookup, word) };
  const { agent } = await client.call(getAgent, { params });
  const { VISUAL, EDITOR } = world.env;
  const editor = VISUAL || EDITOR || (world.platform === 'win32' ? 'notepad' : '');
  if (!editor) throw usageError('No editor is set: set VISUAL or EDITOR', 'For example: EDITOR=nano msgctl agents edit …');
  const before = editable(agent);
  // A directory created with mkdtemp can only be read by the user.
  const file = join(await mkdtemp(join(tmpdir(), 'msgctl-')), 'agent.yaml');
  const written = yamlText(before);
  await writeFile(file, written, { mode: 0o600 });
  try {
    await runEditor(editor, file, world);
    const changes = changesBetween(before, readText(await readUserText(file)));
    if (changes.length === 0) notes.say('Nothing was changed.');
    else {
      world.stderr.write(`${await changesText(changes, screenOf(world.stderr, world))}\n`);
      await session.confirm(`Change ${changes.map(({ field }) => field).join(', ')} of the agent ${agent.name}?`);
      const { agent: live } = await client.call(getAgent, { params });
      checkUnchanged(before, editable(live), changes);
      await client.call(updateAgent, { params, body: Object.fromEntries(changes.map(({ field, after }) => [field, after])) });
    }
    await removeFile();
    const record = { agent_id: agent.id, changed: changes.map(({ field }) => field) };
    return { kind: 'record', answer: record, record };
  } catch (error) {
    // In a dry run, shows what would be sent.
    if (error instanceof DryRun || (await readFile(file, 'utf8').catch(() => written)) === written) {
      await removeFile();
      throw error;
    }
    const plain = toCliError(error);
    // The text has every field, so sending it would undo what somebody else changed.
    const send =
      plain.code === 'changed_meanwhile' ? '' : ` Correct it, then send it with msgctl agents update ${shellWord(word)} --input ${file}`;
    const kept = `Your text is saved in ${file}.${send}`;
    throw plain.with({
      hint: [...plain.hintLines, kept],
      details: { ...plain.details, file },
    });
  }

  async function removeFile(): Promise<void> {
    await rm(dirname(file), { recursive: true, force: true });
  }
}

/** The fields of an agent that can be set by a request. */
function editable(agent: ResultRow): ResultRow {
  const { shape } = schemaOf(updateAgent.body);
  return Object.fromEntries(Object.keys(shape).map((field) => [field, agent[field] ?? null]));
}

/** A field is sent as a whole, so what somebody else changed in it meanwhile would be lost. @throws CliError 6 */
function checkUnchanged(before: ResultRow, live: ResultRow, changes: readonly { readonly field: string }[]): void {
  const meanwhile = changesBetween(before, live).map(({ field }) => field);
  const both = changes.filter(({ field }) => meanwhile.includes(field)).map(({ field }) => field);
  if (both.length === 0) return;
  throw new CliError(
    exitCodes.conflict,
    'changed_meanwhile',
    `Somebody else has changed ${both.join(', ')} since you opened the agent: nothing was sent`,
    {
      hint: 'Edit the agent again, and copy what you need from your text.',
    },
  );
}

/**
 * Parses and validates the text as the fields of an agent.
 * @throws CliError 2 if it is invalid, or has an unknown field or a wrong value
 */
function readText(text: string): ResultRow {
  let fields: unknown;
  try {
    fields = parseYaml(text, limits.bodyLevels);
  } catch (error) {
    throw usageError(`The text is not YAML: ${(error as Error).message}`);
  }
  if (!isRow(fields)) throw usageError("Write the agent's fields as YAML");
  const schema = schemaOf(updateAgent.body);
  const unknown = Object.keys(fields).find((field) => !Object.hasOwn(schema.shape, field));
  if (unknown !== undefined) throw usageError(`An agent has no field '${unknown}'`);
  const { error } = schema.safeParse(fields);
  const [issue] = error?.issues ?? [];
  if (issue) throw usageError(`${issue.path.join('.')}: ${problemOf(issue)}`);
  return fields;
}

/** @throws CliError 1 if the editor cannot be started or fails */
async function runEditor(editor: string, file: string, { env, platform }: World): Promise<void> {
  // The variable can contain options too, so the command is run in a shell. A temporary file of our own needs no escaping there.
  const child =
    platform === 'win32'
      ? spawn(`${editor} "${file}"`, { stdio: 'inherit', env, shell: true })
      : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new CliError(exitCodes.failed, 'editor', `The editor exited with ${code}: nothing was changed`);
}
