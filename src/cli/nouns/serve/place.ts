import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Options } from '../../verb/noun.ts';
import { usageError } from '../../errors.ts';
import { DataDirectory } from '../../connection/data-directory.ts';
import { dataDirectory } from '../../files/directories.ts';
import type { World } from '../../world.ts';

/** The location of a server's store. */
export interface ServePlace {
  /** A database file, `:memory:`, or a `postgres://` URL. */
  readonly database: string;
  /** The directory of the store or, if the store is on PostgreSQL, of its token and the server's note; null if in memory. */
  readonly directory: DataDirectory | null;
  /** Whether the store is embedded, so that nobody else knows its secrets. */
  readonly isEmbedded: boolean;
}

/** @throws CliError 2 if `--database` is not a PostgreSQL URL, `--data` is a file, or they contradict each other */
export async function readPlace({ data, database }: Options, world: World): Promise<ServePlace> {
  if (data !== undefined && isFile(data as string)) throw usageError(`--data ${data as string} is a file, not a folder`);
  if (database !== undefined) {
    if (data === ':memory:')
      throw usageError(
        '--data :memory: and --database cannot be used together: each names a store',
        'Omit one of them. --database keeps the store in PostgreSQL.',
      );
    const servers = await readServers(database as string);
    // Each PostgreSQL store has its own directory, separate from the embedded store.
    const ownFolder = join(dataDirectory(world), 'databases', encodeURIComponent(servers));
    return { database: database as string, directory: new DataDirectory((data as string | undefined) ?? ownFolder), isEmbedded: false };
  }
  if (data === ':memory:') return { database: data, directory: null, isEmbedded: true };
  const directory = new DataDirectory((data as string | undefined) ?? dataDirectory(world));
  return { database: directory.database, directory, isEmbedded: true };
}

/** The hosts and database of a URL, without the user and password. */
async function readServers(address: string): Promise<string> {
  const { parsePostgresAddress } = await import('../../../service/store/postgres-address.ts');
  try {
    return parsePostgresAddress(address).shown;
  } catch (error) {
    throw usageError(`--database ${(error as Error).message}`, 'Use --data to choose the directory of the embedded database.');
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // The directory that cannot be used is reported later.
    return false;
  }
}
