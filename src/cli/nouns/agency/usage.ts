import { counted } from '../../../contract/text/counted.ts';
import { isRow, type Result, type ResultRow } from '../../output/result.ts';
import { daysInForce } from '../../verb/days.ts';
import type { Options, Session, Verb } from '../../verb/noun.ts';

/** Shows usage of days as people write them. The totals, which only the first page has, are in a note and in documents. */
export async function showUsage(verb: Verb, session: Session, values: readonly string[], options: Options): Promise<Result> {
  const isWithoutDays = options.from === undefined && options.to === undefined;
  const result = await verb.run(session, values, isWithoutDays ? options : { ...options, ...(await daysInForce(options, session)) });
  if (result.kind !== 'list') return result;
  let first: ResultRow = {};
  const pages = async function* () {
    let isFirst = true;
    for await (const page of result.pages) {
      if (isFirst) first = page.further ?? {};
      isFirst = false;
      yield page;
    }
  };
  return {
    ...result,
    pages: pages(),
    further: () => ({ ...result.further?.(), ...first }),
    closing: () => (session.globals.output === 'table' ? closingNote(first) : undefined),
  };
}

/** What all sub-accounts used. */
function closingNote({ from, to, totals }: ResultRow): string | undefined {
  if (!isRow(totals)) return undefined;
  const { credits_spent: credits, price_usd: price, messages_sent: messages, conversations } = totals as Record<string, number | null>;
  const cost = price === null || price === undefined ? '' : ` for $${price.toFixed(2)}`;
  const used = `${counted(credits ?? 0, 'credit')}${cost}, ${counted(messages ?? 0, 'message')}, ${counted(conversations ?? 0, 'conversation')}`;
  return `From ${String(from)} to ${String(to)}, all sub-accounts together: ${used}.`;
}
