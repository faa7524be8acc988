import { InterfaceError } from '../../../client/errors.ts';
import { CliError, exitCodes } from '../../errors.ts';
import type { SourceSelection } from './selection.ts';

/**
 * Waits for a call that contains URLs.
 * @param urls the URLs of the call
 * @throws CliError 2 with the URL that the service rejects, and where it was given, instead of the field
 */
export async function namingAddresses<Value>(answer: Promise<Value>, urls: readonly string[], selection: SourceSelection): Promise<Value> {
  return await answer.catch((error: unknown) => {
    throw refusedAddress(error, urls, selection) ?? error;
  });
}

function refusedAddress(error: unknown, urls: readonly string[], { places }: SourceSelection): CliError | undefined {
  if (!(error instanceof InterfaceError) || error.status !== 400) return undefined;
  const [, index = 0, reason] = /^(?:url|urls\.(\d+)): (.+)$/s.exec(error.message) ?? [];
  const url = urls[Number(index)];
  if (reason === undefined || url === undefined) return undefined;
  const place = places.get(url);
  return new CliError(exitCodes.usage, 'usage', `The address ${url}${place === undefined ? '' : ` (${place})`} ${reason}`, {
    status: error.status,
    errorCode: error.errorCode,
    details: error.details,
  });
}
