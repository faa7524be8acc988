import { getLedger } from '../../../contract/areas/analytics/endpoints.ts';
import { rangeCaps, recordsMax } from '../../../contract/areas/analytics/names.ts';
import { digits } from '../../../contract/text/counted.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { invalidValueError } from '../../invalid-value.ts';
import type { Options, Session, Verb } from '../../verb/noun.ts';
import { selectsFromAnswer } from '../../global-options.ts';
import { rowLimit } from '../../verb/paging.ts';
import type { Page, Result, ResultRow } from '../../output/result.ts';
import { type Days, daysInForce, daysOf } from '../../verb/days.ts';
import { inAllText } from './figures-verb.ts';
import { joinLedgerTotals } from './join.ts';
import { windowBefore, windowsOf, windowTo } from '../../figures/ledger-windows.ts';
import { withRecordNames } from './ledger-names.ts';
import { lengthOf } from '../../figures/ranges.ts';
import { ledgerColumns, ledgerTable } from './rows.ts';

type Totals = Omit<Answer<typeof getLedger>, 'records' | 'next_cursor'>;

type List = Extract<Result, { kind: 'list' }>;

/** Reads the ledger of days that one request can take. */
type Read = (given: Options) => Promise<List>;

/** Where a list goes on that is read in several windows. */
interface Place {
  readonly window: Days;
  /** The service's cursor in this window; undefined for its first page. */
  readonly cursor: string | undefined;
}

/**
 * Adapts the verb for the ledger. It supports readable ranges of days, and reads longer ranges in windows, newest first. The
 * document contains the totals of all days, and its `next_cursor` continues the list across windows.
 */
export function ledgerVerb(verb: Verb): Verb {
  return {
    ...verb,
    isDataset: true,
    shown: { rows: getLedger.rows, columns: ledgerColumns, table: ledgerTable },
    run: async (session, values, options) => {
      const read: Read = async (given) => {
        const result = await verb.run(session, values, given);
        if (result.kind !== 'list') throw new Error('The ledger is a list');
        return result;
      };
      const days = options.from === undefined ? await daysToEnd(options, session) : await daysInForce(options, session);
      const place = placeToBegin(options.cursor as string | undefined, days);
      const list = place
        ? await readLong(place, days as Days, options, read, session)
        : await readShort({ ...options, ...days }, read, session);
      return { ...list, pages: withRecordNames(list.pages, session) };
    },
  };
}

/** The days without `--from`, whose default is that of the service. */
async function daysToEnd(options: Options, session: Session): Promise<Partial<Days>> {
  return options.to === undefined ? {} : daysOf(options, await session.serviceTime());
}

/**
 * Where to begin if the list is read in several windows; undefined if one request takes all days.
 * @throws CliError 2 if the cursor is of other days
 */
function placeToBegin(cursor: string | undefined, { from, to }: Partial<Days>): Place | undefined {
  const isLong = from !== undefined && to !== undefined && lengthOf({ from, to }) > rangeCaps.ledger;
  if (cursor === undefined) return isLong ? { window: windowTo(to, from), cursor } : undefined;
  const place = readPlace(cursor);
  if (!place && !isLong) return undefined;
  if (!place || from === undefined || to === undefined || place.window.to < from || place.window.to > to)
    throw invalidValueError('--cursor', cursor, 'is not a next_cursor of this list', 'Give the same --from and --to as before.');
  return place;
}

/** The cursor of a list that is read in several windows. */
const cursorOf = ({ window: { from, to }, cursor = '' }: Place) => `${from}:${to}:${cursor}`;

function readPlace(text: string): Place | undefined {
  const [, from, to, cursor] = /^(\d{4}-\d\d-\d\d):(\d{4}-\d\d-\d\d):(.*)$/.exec(text) ?? [];
  return from === undefined || to === undefined ? undefined : { window: { from, to }, cursor: cursor || undefined };
}

/** The list of days that one request can take. Its totals come with the first page. */
async function readShort(options: Options, read: Read, session: Session): Promise<List> {
  const list = await read(options);
  let totals: ResultRow = {};
  async function* pages(): AsyncGenerator<Page> {
    let isFirst = true;
    for await (const page of list.pages) {
      if (isFirst) noteTotals((totals = page.further ?? {}), session);
      isFirst = false;
      yield page;
    }
  }
  return { ...list, pages: pages(), totals: () => totals };
}

/** The list of a longer range. Its totals are those of all windows. Like those of the service, they come with the first page only. */
async function readLong(begin: Place, days: Days, options: Options, read: Read, session: Session): Promise<List> {
  const isContinued = options.cursor !== undefined;
  let totals: ResultRow = {};
  async function* pages(): AsyncGenerator<Page> {
    const all = await totalsOf(days, options, read);
    totals = isContinued ? { ...all, totals: null, by_reason: null, by_reason_cost: null, by_campaign: null } : { ...all };
    noteTotals(totals, session);
    yield* pagesFrom(begin, days.from, options, read);
  }
  return { kind: 'list', field: getLedger.rows, paged: true, pages: pages(), totals: () => totals };
}

/** Tells people the totals, and everybody what the figures lack. */
function noteTotals({ totals, costs_redacted: isRedacted, truncated: isTruncated }: ResultRow, { notes, globals }: Session): void {
  if (totals && globals.output === 'table' && !selectsFromAnswer(globals)) notes.say(totalsText(totals as Record<string, number>));
  if (isRedacted === true) notes.say('Costs in US dollars are shown as 0: they are hidden on this account.');
  if (isTruncated === true) notes.say(truncatedNote);
}

/** The sums of what was spent. Adjustments are not in them, though their records are listed. */
function totalsText(totals: Readonly<Record<string, number>>): string {
  return totals.records === 0 ? 'Nothing was spent: transfers, recharges and other adjustments do not count.' : inAllText(totals);
}

/** The note on figures that the service marks as `truncated`. */
export const truncatedNote = `The figures cover only ${digits(recordsMax)} records, because there are more (truncated).`;

async function totalsOf(days: Days, options: Options, read: Read): Promise<Totals> {
  const firsts: Totals[] = [];
  for (const window of windowsOf(days).reverse()) firsts.push((await firstPage(window, options, read)).further as Totals);
  return joinLedgerTotals(firsts);
}

/** The first page of a window, with at most one record. */
async function firstPage(window: Days, options: Options, read: Read): Promise<Page> {
  const { pages } = await read({ ...options, ...window, cursor: undefined, all: undefined, limit: 1 });
  for await (const page of pages) return page;
  throw new Error('A list has a page');
}

/** The pages from a place on, newest first, up to `--limit` records. */
async function* pagesFrom(begin: Place, first: string, options: Options, read: Read): AsyncGenerator<Page> {
  let left = rowLimit(options) ?? Infinity;
  for (let place: Place | null = begin; place && left > 0;) {
    const { window, cursor }: Place = place;
    place = startOf(windowBefore(window, first));
    const limit = left === Infinity ? {} : { limit: left };
    for await (const page of (await read({ ...options, ...window, cursor, ...limit })).pages) {
      left -= page.rows.length;
      if (page.next_cursor === null && left <= 0) place = await withRecords(place, first, options, read);
      const next = page.next_cursor === null ? place : { window, cursor: page.next_cursor };
      yield { rows: page.rows, next_cursor: next && cursorOf(next) };
    }
  }
}

const startOf = (window: Days | null): Place | null => window && { window, cursor: undefined };

/** The start of the next window that has records, so that a list that ends here has no cursor. */
async function withRecords(place: Place | null, first: string, options: Options, read: Read): Promise<Place | null> {
  for (let next = place; next; next = startOf(windowBefore(next.window, first)))
    if ((await firstPage(next.window, options, read)).rows.length > 0) return next;
  return null;
}
