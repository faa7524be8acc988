import type { Client } from '../../../client/client.ts';
import { createExport, getExport } from '../../../contract/areas/exports/endpoints.ts';
import type { Answer, Body } from '../../../contract/endpoint.ts';
import { counted } from '../../../contract/text/counted.ts';
import { sentenceOf } from '../../../contract/text/some-of.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import type { Result } from '../../output/result.ts';
import { shellWord } from '../../output/shell-word.ts';
import { isId } from '../../verb/names.ts';
import { inCommandTerms } from '../../verb/command-terms.ts';
import type { FieldSpec, Options, Session } from '../../verb/noun.ts';
import { openOutputFile } from '../../verb/output-file.ts';
import { waitUntil } from '../../verb/wait.ts';
import { printFile, saveFile } from './download.ts';

type ChatExport = Answer<typeof getExport>['chat_export'];

/** Makes an export, or takes the one with `--id`, waits until it is ready, and saves its file or writes it to stdout. @param specs the fields that have options */
export async function exportSessions(
  session: Session,
  fields: Partial<Body<typeof createExport>>,
  specs: readonly FieldSpec[],
  options: Options,
): Promise<Result> {
  const { globals, targets, notes } = session;
  const out = options.out as string | undefined;
  const id = options.id as string | undefined;
  if (id !== undefined && Object.keys(fields).length > 0)
    throw usageError('--id is an export that exists, and takes no other fields', `Use \`msgctl sessions export --id ${shellWord(id)}\`.`);
  const missing = id === undefined ? (['from', 'to', 'format'] as const).filter((name) => fields[name] === undefined) : [];
  if (missing.length > 0)
    throw usageError(
      `${sentenceOf(missing.map((name) => `--${name}`))} ${missing.length === 1 ? 'is' : 'are'} missing`,
      'Give the first day, the last day, and json, csv or html. For an export that exists, give --id.',
    );
  if (id !== undefined && !isId(id)) throw usageError('--id must be the id of an export, which begins with exp_');
  const target = out === undefined || out === '-' ? undefined : out;
  const file = target === undefined ? undefined : openOutputFile(target, { flag: '--out', what: 'the export', replaces: globals.yes });
  const client = await targets.client();
  const inTerms = (error: unknown) => {
    throw inCommandTerms(error, { endpoint: createExport, arguments: [], fields: specs, values: [], options });
  };
  const started = id ?? (await client.call(createExport, { body: fields }).catch(inTerms)).chat_export.id;
  const again = `msgctl sessions export --id ${started}${target === undefined ? '' : ` --out ${shellWord(target)}`}`;
  const made = await waitFor(session, client, started, again);
  const download = { world: session.world, client, made, again };
  if (!file || target === undefined) {
    await printFile(download);
    return { kind: 'nothing' };
  }
  await saveFile(download, file, target);
  notes.say(`Wrote ${counted(made.sessions ?? 0, 'conversation')} and ${counted(made.messages ?? 0, 'message')} to ${target}.`);
  return { kind: 'record', answer: { chat_export: made }, record: made };
}

/** Waits until an export is ready. @throws CliError 1 if it fails or is gone */
async function waitFor(session: Session, client: Client, id: string, again: string): Promise<ChatExport> {
  const state = await waitUntil(session, {
    read: async () => (await client.call(getExport, { params: { id } })).chat_export,
    isOver: ({ status }) => status !== 'queued' && status !== 'processing',
    describe: ({ sessions, messages }) =>
      `Exporting: ${counted(sessions ?? 0, 'conversation')}, ${counted(messages ?? 0, 'message')} so far`,
    what: 'the export',
    look: again,
  });
  if (state.status === 'ready') return state;
  const why = state.status === 'expired' ? 'its file has expired' : (state.error_message ?? 'it failed');
  throw new CliError(exitCodes.failed, 'failed', `The export ${id} has no file: ${why}`, {
    hint: 'Start another one: give --from, --to and --format instead of --id.',
  });
}
