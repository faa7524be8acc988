import { kinds } from '../../account-as-code/kinds.ts';
import type { Client } from '../../client/client.ts';
import { InterfaceError } from '../../client/errors.ts';
import { importEstimates } from '../../client/import-estimates.ts';
import type { Plan } from '../../account-as-code/plan/plan.ts';

/** Notes about the price of importing the sources in a plan; none if it imports none. @throws the errors of the client */
export async function importPrices(client: Client, { changes }: Plan): Promise<string[]> {
  const pages = changes.flatMap(({ kind, action, after }) =>
    after && action === 'create' ? (kinds[kind].writing.imports?.(after) ?? []) : [],
  );
  if (pages.length === 0) return [];
  const what = `Importing ${pages.length === 1 ? 'one source' : `${pages.length} sources`}`;
  let credits = 0;
  let available: number | null = null;
  const failed: string[] = [];
  try {
    for await (const answer of importEstimates(client, pages)) {
      credits += answer.total_credits;
      available = answer.available_credits;
      for (const { ref, error } of answer.estimates) if (error !== undefined) failed.push(`${ref} has no price: ${error}`);
    }
  } catch (error) {
    if (!(error instanceof InterfaceError) || error.status === 401) throw error;
    return [`${what} costs credits. The service cannot say how many: ${error.message}`];
  }
  const left = available === null ? '' : `; the account has ${available}`;
  return [`${what} costs ${credits} ${credits === 1 ? 'credit' : 'credits'}${left}.`, ...failed.map((text) => `${text}.`)];
}
