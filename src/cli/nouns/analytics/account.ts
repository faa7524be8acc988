import type { Client } from '../../../client/client.ts';
import { InterfaceError } from '../../../client/errors.ts';
import { getSummary } from '../../../contract/areas/analytics/endpoints.ts';
import { rangeCaps } from '../../../contract/areas/analytics/names.ts';
import { getMe } from '../../../contract/areas/whoami/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { dayAfter } from './ranges.ts';

/** The account that figures are about; undefined when the key may not read it. */
export async function findAccount(client: Client): Promise<Answer<typeof getMe>['user'] | undefined> {
  try {
    return (await client.call(getMe, {})).user;
  } catch (error) {
    if (error instanceof InterfaceError && error.status === 403) return undefined;
    throw error;
  }
}

/** How many years without a figure end the search for the first day: before the creation of the account, and when that is not known. */
const emptyYearsMax = { known: 2, unknown: 10 };

/**
 * The first day on which an account can have figures, as YYYY-MM-DD: that of its creation, or an earlier one where it has a
 * history from before, as the sandbox makes them.
 * @param today the present day, in UTC
 */
export async function firstDayOf(client: Client, today: string): Promise<string> {
  const created = (await findAccount(client))?.created_at.slice(0, 10);
  let first = created ?? today;
  let last = first;
  for (let left = created ? emptyYearsMax.known : emptyYearsMax.unknown; left > 0; left--) {
    const from = dayAfter(last, 1 - rangeCaps.ledger);
    const { by_date: days } = await client.call(getSummary, { query: { from, to: last } });
    const day = days.find(({ date: _date, ...figures }) => Object.values(figures).some((figure) => figure !== 0));
    if (day) {
      // Corrections are not among the figures: without a creation, the whole year counts.
      first = created ? day.date : from;
      left = created ? emptyYearsMax.known + 1 : emptyYearsMax.unknown + 1;
    }
    last = dayAfter(from, -1);
  }
  return first;
}
