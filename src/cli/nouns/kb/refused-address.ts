import { InterfaceError } from '../../../client/errors.ts';
import type { CliError } from '../../errors.ts';
import { refusedInputError } from '../../explain.ts';
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
  if (!(error instanceof InterfaceError) || error.field === undefined) return undefined;
  const url = urls[error.field === 'url' ? 0 : Number(error.field.replace('urls.', ''))];
  if (url === undefined) return undefined;
  const place = places.get(url);
  return refusedInputError(error, `The address ${url}${place === undefined ? '' : ` (${place})`} ${error.problem}`);
}
