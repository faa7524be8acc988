import type { Client } from '../../client/client.ts';
import { InterfaceError } from '../../client/errors.ts';
import { getSummary } from '../../contract/areas/analytics/endpoints.ts';
import { rangeCaps } from '../../contract/areas/analytics/names.ts';
import { getMe } from '../../contract/areas/whoami/endpoints.ts';
import type { Answer } from '../../contract/endpoint.ts';
import { dayAfter } from './ranges.ts';

/** The account of the key; undefined if the key may not read it. */
export async function findAccount(client: Client): Promise<Answer<typeof getMe>['user'] | undefined> {
  return (await unlessForbidden(client.call(getMe, {})))?.user;
}

/** An answer; undefined if the key may not read it. */
async function unlessForbidden<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof InterfaceError && error.status === 403) return undefined;
    throw error;
  }
}

/**
 * The search for the first day goes back from the creation of the account (`known`) or, if that date is unknown, from today
 * (`unknown`). It ends after this many years without figures.
 */
const emptyYearsMax = { known: 2, unknown: 10 };

/** The first days with data of an account, as YYYY-MM-DD. */
export interface FirstDays {
  /** The first day that can have figures. */
  readonly firstFigure: string;
  /** The first day that can have anything. It can be earlier, because corrections in the ledger are not included in figures. */
  readonly earliest: string;
}

/**
 * Finds the first days with data of an account. This is the day of its creation, or an earlier day if there are figures before
 * that, as in the history that the sandbox generates. If the key may not read the creation date, returns the day of the first
 * figure, or today if there is none, and as `earliest` the first day of the search; also if it may not read figures.
 * @param today the current day in UTC
 */
export async function firstDaysOf(client: Client, today: string): Promise<FirstDays> {
  const created = (await findAccount(client))?.created_at.slice(0, 10);
  const yearsMax = created ? emptyYearsMax.known : emptyYearsMax.unknown;
  let firstFigure = created ?? today;
  let searched = dayAfter(firstFigure, 1);
  for (let left = yearsMax; left > 0; left--) {
    const days = { from: dayAfter(searched, -rangeCaps.ledger), to: dayAfter(searched, -1) };
    const figuresByDay = await unlessForbidden(client.call(getSummary, { query: days }));
    if (!figuresByDay) return { firstFigure, earliest: dayAfter(searched, -left * rangeCaps.ledger) };
    const day = figuresByDay.by_date.find(({ date: _date, ...figures }) => Object.values(figures).some((figure) => figure !== 0));
    if (day) {
      firstFigure = day.date;
      left = yearsMax + 1;
    }
    searched = days.from;
  }
  return { firstFigure, earliest: created ? firstFigure : searched };
}
