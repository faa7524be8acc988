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

/** The first days of an account, as YYYY-MM-DD. */
export interface FirstDays {
  /** The first one that can have figures. */
  readonly firstFigure: string;
  /** The first one that can have anything. Corrections of the ledger are not among the figures. */
  readonly earliest: string;
}

/**
 * Finds the first days of an account: that of its creation, or of an earlier figure where it has a history from before, as the
 * sandbox makes them. A key that may not read the creation finds the first figure, today when there is none, and beside it the first
 * day of the search.
 * @param today the present day, in UTC
 */
export async function firstDaysOf(client: Client, today: string): Promise<FirstDays> {
  const created = (await findAccount(client))?.created_at.slice(0, 10);
  const yearsMax = created ? emptyYearsMax.known : emptyYearsMax.unknown;
  let firstFigure = created ?? today;
  let searched = dayAfter(firstFigure, 1);
  for (let left = yearsMax; left > 0; left--) {
    const days = { from: dayAfter(searched, -rangeCaps.ledger), to: dayAfter(searched, -1) };
    const { by_date: figuresByDay } = await client.call(getSummary, { query: days });
    const day = figuresByDay.find(({ date: _date, ...figures }) => Object.values(figures).some((figure) => figure !== 0));
    if (day) {
      firstFigure = day.date;
      left = yearsMax + 1;
    }
    searched = days.from;
  }
  return { firstFigure, earliest: created ? firstFigure : searched };
}
