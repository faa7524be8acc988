import { createHash } from 'node:crypto';
import type { Client } from '../../../client/client.ts';
import { createExport, downloadExport, getExport } from '../../../contract/areas/exports/endpoints.ts';
import { requestPath } from '../../../client/request-path.ts';
import type { Answer, Body } from '../../../contract/endpoint.ts';
import { describeWriteError } from '../../../contract/file-errors.ts';
import { counted } from '../../../contract/text/counted.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { printPieces } from '../../output/pieces.ts';
import type { Result } from '../../output/result.ts';
import { shellWord } from '../../output/shell-word.ts';
import { isId } from '../../verb/names.ts';
import { inCommandTerms } from '../../verb/command-terms.ts';
import type { FieldSpec, Options, Session } from '../../verb/noun.ts';
import { openOutputFile } from '../../verb/output-file.ts';
import { waitUntil } from '../../verb/wait.ts';

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
      `Say which conversations: ${missing.map((name) => `--${name}`).join(', ')} is missing`,
      'For an export that exists, give --id.',
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
  const stop = new AbortController();
  const hash = createHash('sha256');
  const pieces = checked(client.rawStream(downloadCall(started), stop.signal), hash);
  if (!file || target === undefined) {
    await printPieces(session.world, pieces, stop);
    if (!stop.signal.aborted) requireSame(made, hash.digest('hex'), again);
    return { kind: 'nothing' };
  }
  void session.world.interrupted.then(() => stop.abort());
  try {
    await file.writePieces(pieces).catch((error: unknown) => {
      const isOfFile = (error as NodeJS.ErrnoException).syscall !== undefined;
      throw isOfFile ? new CliError(exitCodes.failed, 'file', `Cannot write the export to ${target}: ${describeWriteError(error)}`) : error;
    });
    if (stop.signal.aborted)
      throw new CliError(exitCodes.interrupted, 'interrupted', 'Stopped the download; the export stays.', {
        hint: `\`${again}\` downloads it.`,
      });
    requireSame(made, hash.digest('hex'), again);
    file.replace();
  } finally {
    file.close();
  }
  notes.say(`Wrote ${counted(made.sessions ?? 0, 'chat session')} and ${counted(made.messages ?? 0, 'message')} to ${target}.`);
  return { kind: 'record', answer: { chat_export: made }, record: made };
}

function downloadCall(id: string) {
  return { method: 'GET', path: requestPath(downloadExport, { id }), query: {}, body: {}, endpoint: downloadExport } as const;
}

/** Waits until an export is ready. @throws CliError 1 if it fails or is gone */
async function waitFor(session: Session, client: Client, id: string, again: string): Promise<ChatExport> {
  const state = await waitUntil(session, {
    read: async () => (await client.call(getExport, { params: { id } })).chat_export,
    isOver: ({ status }) => status !== 'queued' && status !== 'processing',
    describe: ({ sessions, messages }) =>
      `Exporting: ${counted(sessions ?? 0, 'chat session')}, ${counted(messages ?? 0, 'message')} so far`,
    what: 'the export',
    look: again,
  });
  if (state.status === 'ready') return state;
  const why = state.status === 'expired' ? 'its file has expired' : (state.error_message ?? 'it failed');
  throw new CliError(exitCodes.failed, 'failed', `The export ${id} has no file: ${why}`);
}

async function* checked(pieces: AsyncIterable<string>, hash: ReturnType<typeof createHash>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

/** @throws CliError 1 if what arrived is not the file */
function requireSame({ sha256 }: ChatExport, arrived: string, again: string): void {
  if (sha256 === arrived) return;
  throw new CliError(exitCodes.failed, 'failed', 'The file that arrived is not the export: its checksum differs', {
    hint: `\`${again}\` downloads it again.`,
  });
}
