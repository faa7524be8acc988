import { createHash } from 'node:crypto';
import type { Client } from '../../../client/client.ts';
import { InterfaceError, NetworkError } from '../../../client/errors.ts';
import { requestPath } from '../../../client/request-path.ts';
import { downloadExport, type getExport } from '../../../contract/areas/exports/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { describeWriteError } from '../../../contract/file-errors.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { toCliError } from '../../explain.ts';
import type { OwnerOnlyFile } from '../../files/owner-only.ts';
import { printPieces } from '../../output/pieces.ts';
import type { World } from '../../world.ts';

type ChatExport = Answer<typeof getExport>['chat_export'];

/** How often a download that breaks off begins. */
const beginsMax = 4;

/** The time before it begins again, in milliseconds. */
const pause = 1_000;

/** A file to download: its export, and the command that downloads it again. */
export interface Download {
  readonly world: World;
  readonly client: Client;
  readonly made: ChatExport;
  readonly again: string;
}

/**
 * Prints the file of an export.
 * @throws CliError 130 when the command is interrupted, 1 when what arrived is not the file; errors of the connection with the hint how
 *   to download it again
 */
export async function printFile(download: Download): Promise<void> {
  const { world } = download;
  const stop = new AbortController();
  const arriving = arrive(download, stop.signal);
  await printPieces(world, arriving.pieces, stop).catch((error: unknown) => {
    throw withHint(error, download);
  });
  if (world.hasLostReader) return;
  if (stop.signal.aborted) throw interrupted(download);
  requireSame(download, arriving.sha256());
}

/**
 * Saves the file of an export. A download that breaks off, or whose checksum differs, begins again.
 * @throws CliError as `printFile`, and 1 when the file cannot be written
 */
export async function saveFile(download: Download, file: OwnerOnlyFile, path: string): Promise<void> {
  const { world } = download;
  const stop = new AbortController();
  void world.interrupted.then(() => stop.abort());
  try {
    for (let begun = 1; ; begun++) {
      try {
        const arriving = arrive(download, stop.signal);
        await file.writePieces(arriving.pieces);
        if (stop.signal.aborted) throw interrupted(download);
        requireSame(download, arriving.sha256());
        return file.replace();
      } catch (error) {
        if (stop.signal.aborted) throw interrupted(download);
        if ((error as NodeJS.ErrnoException).syscall !== undefined)
          throw new CliError(exitCodes.failed, 'file', `Cannot write the export to ${path}: ${describeWriteError(error)}`);
        if (begun === beginsMax || !isPassing(error)) throw withHint(error, download);
        file.close();
        await world.sleep(pause * begun);
      }
    }
  } finally {
    file.close();
  }
}

/** The pieces of a file as they arrive, and their checksum when all of them have. */
function arrive({ client, made }: Download, until: AbortSignal) {
  const hash = createHash('sha256');
  const path = requestPath(downloadExport, { id: made.id });
  const call = { method: 'GET', path, query: {}, body: {}, endpoint: downloadExport } as const;
  return {
    pieces: (async function* () {
      for await (const piece of client.rawStream(call, until)) {
        hash.update(piece);
        yield piece;
      }
    })(),
    sha256: () => hash.digest('hex'),
  };
}

/** Whether another attempt may succeed: the connection was lost, the service is busy, or what arrived is not the file. */
function isPassing(error: unknown): boolean {
  const isBusy = error instanceof InterfaceError && (error.status === 429 || error.status >= 500);
  return error instanceof NetworkError || isBusy || error instanceof CliError;
}

function withHint(error: unknown, { again }: Download): CliError {
  return toCliError(error).with({ hint: `\`${again}\` downloads it again; the export stays.` });
}

function interrupted({ again }: Download): CliError {
  return new CliError(exitCodes.interrupted, 'interrupted', 'Stopped the download; the export stays.', {
    hint: `\`${again}\` downloads it.`,
  });
}

/** @throws CliError 1 if what arrived is not the file */
function requireSame({ made }: Download, arrived: string): void {
  if (made.sha256 !== arrived)
    throw new CliError(exitCodes.failed, 'failed', 'The file that arrived is not the export: its checksum differs');
}
