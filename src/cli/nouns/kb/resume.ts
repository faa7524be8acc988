import { InterfaceError, lacksEndpoint } from '../../../client/errors.ts';
import { getCredits } from '../../../contract/areas/credits/endpoints.ts';
import { listSources } from '../../../contract/areas/kb/endpoints.ts';
import { counted, digits } from '../../../contract/text/counted.ts';
import type { Options, Session } from '../../verb/noun.ts';

const cost = 'If your AI key still fails, the imports spend credits of the platform: 0.5 to 2 credits for each 2,000 characters of text';

/** The question before paused imports are resumed, with what they may cost; null when none is paused. */
export async function askToResume(session: Session | null, { host }: Options): Promise<string | null> {
  if (!session) return `Resume the paused imports? ${cost}.`;
  const client = await session.targets.client();
  const query = { status: 'paused' as const, ...(typeof host === 'string' && { host }) };
  const paused = await client.all(listSources, { query }).catch((error: unknown) => {
    // Not every service lists its sources.
    if (lacksEndpoint(error)) return null;
    throw error;
  });
  if (!paused) return `Resume the paused imports? ${cost}.`;
  if (paused.length === 0) return null;
  const credits = await client.call(getCredits, {}).catch((error: unknown) => {
    // A scoped key need not be allowed to read them.
    if (lacksEndpoint(error) || (error instanceof InterfaceError && error.status === 403)) return null;
    throw error;
  });
  const balance = credits === null ? '' : ` The balance is ${digits(credits.balance)} credits.`;
  return `Resume the imports of ${counted(paused.length, 'source')}? ${cost}.${balance}`;
}
