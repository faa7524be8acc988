import type { Client } from '../../client/client.ts';
import { InterfaceError } from '../../client/errors.ts';
import { importEstimates } from '../../client/import-estimates.ts';
import type { Plan } from './plan.ts';

/** Notes about the price of importing the sources in a plan; none if it imports none. @throws the errors of the client */
export async function importPrices(client: Client, { changes }: Plan): Promise<string[]> {
  const urls = changes.flatMap(({ kind, action, after }) => (kind === 'sources' && action === 'create' ? [String(after?.url)] : []));
  if (urls.length === 0) return [];
  const what = `Importing ${urls.length === 1 ? 'one source' : `${urls.length} sources`}`;
  let credits = 0;
  let available: number | null = null;
  const failed: string[] = [];
  try {
    const pages = urls.map((url) => ({ url }));
    for await (const answer of importEstimates(client, pages)) {
      credits += answer.total_credits;
      available = answer.available_credits;
      for (const { ref, error } of answer.estimates) if (error !== undefined) failed.push(`${ref} has no price: ${error}`);
    }
  } catch (error) {
    if (!(error instanceof InterfaceError) || error.status === 401) throw error;
    return [`${what} costs credits; the service does not say how many: ${error.message}`];
  }
  const left = available === null ? '' : `; the account has ${available}`;
  return [`${what} costs ${credits} ${credits === 1 ? 'credit' : 'credits'}${left}.`, ...failed.map((text) => `${text}.`)];
}
