import { getLedger } from '../../../contract/areas/analytics/endpoints.ts';
import { rangeCaps } from '../../../contract/areas/analytics/names.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import type { Options, Session, Verb } from '../../command/noun.ts';
import { usageError } from '../../errors.ts';
import { selectsFromAnswer } from '../../global-options.ts';
import { rowLimit } from '../../command/paging.ts';
import { type Page, type Row, wholeList } from '../../output/result.ts';
import { type Days, daysInForce, daysOf } from './days.ts';
import { inAllText } from './figures-verb.ts';
import { joinLedgerTotals } from './join.ts';
import { partsOf } from './ranges.ts';

/** Shown instead of a cursor if the limit was reached at the end of a part. */
const earlierDays = 'earlier days';

type Totals = Omit<Answer<typeof getLedger>, 'records' | 'next_cursor'>;

/**
 * Adapts the verb for the ledger. It supports readable ranges of days, and reads longer ranges in parts, newest first. The
 * document contains the totals of all parts.
 */
export function ledgerVerb(verb: Verb): Verb {
  return {
    ...verb,
    run: async (session, values, options) => {
      const parts =
        options.from === undefined ? [await daysToEnd(options, session)] : partsOf(await daysInForce(options, session), rangeCaps.ledger);
      const read = async (given: Options) => {
        const result = await verb.run(session, values, given);
        if (result.kind !== 'list') throw new Error('The ledger is a list');
        return result;
      };
      let totals: Row = {};
      if (parts.length === 1) {
        const result = await read({ ...options, ...parts[0] });
        const keep = (first: Row) => {
          totals = first;
          noteTotals(first, session);
        };
        return { ...result, pages: withFirst(result.pages, keep), totals: () => totals };
      }
      if (options.cursor !== undefined)
        throw usageError(
          `--cursor cannot continue a list of more than ${rangeCaps.ledger} days`,
          'Read it with --all, or choose a shorter range.',
        );
      async function* pages(): AsyncGenerator<Page> {
        totals = await totalsOf(parts, options, read);
        noteTotals(totals, session);
        yield* pagesOf(parts, options, read);
      }
      // There is no cursor, because it would not identify the part.
      return { ...wholeList('records', []), pages: pages(), totals: () => totals };
    },
  };
}

/** Tells people the totals, and everybody what the figures lack. */
function noteTotals({ totals, costs_redacted: isRedacted }: Row, { notes, globals }: Session): void {
  if (totals && globals.output === 'table' && !selectsFromAnswer(globals)) notes.say(inAllText(totals as Record<string, number>));
  if (isRedacted === true) notes.say('Costs in US dollars are shown as 0: they are hidden on this account.');
}

/** The days without `--from`, whose default is that of the service. */
async function daysToEnd(options: Options, session: Session): Promise<Partial<Days>> {
  return options.to === undefined ? {} : daysOf(options, await session.serviceTime());
}

/** Reads a part of the ledger. */
type Read = (given: Options) => Promise<{ readonly pages: AsyncIterable<Page> }>;

/** The totals of all parts. */
async function totalsOf(parts: readonly Partial<Days>[], options: Options, read: Read): Promise<Row> {
  const firsts: Totals[] = [];
  for (const part of parts)
    for await (const { further } of (await read({ ...options, ...part, all: undefined, limit: 1 })).pages) firsts.push(further as Totals);
  return joinLedgerTotals(firsts);
}

/** The records of all parts, newest first, up to `--limit`. */
async function* pagesOf(parts: readonly Partial<Days>[], options: Options, read: Read): AsyncGenerator<Page> {
  let left = rowLimit(options) ?? Infinity;
  for (const [index, part] of parts.toReversed().entries()) {
    const limit = left === Infinity ? {} : { limit: left };
    for await (const { rows, next_cursor: next } of (await read({ ...options, ...part, ...limit })).pages) {
      left -= rows.length;
      yield { rows, next_cursor: left <= 0 ? (next ?? (index + 1 < parts.length ? earlierDays : null)) : null };
    }
    if (left <= 0) return;
  }
}

/** Yields pages and passes the other fields of the first one to `tell`. */
async function* withFirst(pages: AsyncIterable<Page>, tell: (further: Row) => void): AsyncGenerator<Page> {
  let isFirst = true;
  for await (const page of pages) {
    if (isFirst) tell(page.further ?? {});
    isFirst = false;
    yield page;
  }
}
