import type { Transport } from '../../client/transport.ts';
import { CliError, exitCodes } from '../errors.ts';
import type { DataDirectory } from './data-directory.ts';

/**
 * The embedded service in a dry run. It opens the store only for lookups and never creates one.
 * @param open opens the store
 */
export function unopened({ path, exists }: DataDirectory, open: () => Promise<Transport>): Transport {
  let opened: Promise<Transport> | null = null;
  const needed = async () => {
    if (!exists) throw new CliError(exitCodes.notFound, 'not_found', `There is no store in ${path} yet, and a dry run does not create one`);
    return await (opened ??= open());
  };
  return {
    target: 'the embedded service',
    send: async (request) => await (await needed()).send(request),
    stream: async (request, signal) => await (await needed()).stream(request, signal),
    close: async () => await (await opened)?.close(),
  };
}
