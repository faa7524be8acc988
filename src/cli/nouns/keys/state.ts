import type { Verb } from '../../verb/noun.ts';
import { showsColumn } from '../../global-options.ts';
import type { Page, ResultRow } from '../../output/result.ts';

/** Whether a key works: `expires` means that it does so for now. */
type KeyState = 'active' | 'expires' | 'expired' | 'revoked';

/** @param now the time of the service, in epoch milliseconds */
function stateOf({ revoked, expires_at: expiry }: ResultRow, now: number): KeyState {
  if (revoked === true) return 'revoked';
  if (typeof expiry !== 'string') return 'active';
  return Date.parse(expiry) > now ? 'expires' : 'expired';
}

/** A verb that shows keys, with their state in tables and where `--fields` asks for it. */
export function withState(verb: Verb): Verb {
  return {
    ...verb,
    shown: verb.shown && { ...verb.shown, further: [...(verb.shown.further ?? []), 'state'] },
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      if (!showsColumn(session.globals, 'state')) return result;
      const now = await session.serviceTime();
      const added = (key: ResultRow) => ({ ...key, state: stateOf(key, now) });
      if (result.kind === 'list') return { ...result, pages: mapped(result.pages, added) };
      return result.kind === 'record' ? { ...result, record: added(result.record) } : result;
    },
  };
}

async function* mapped(pages: AsyncIterable<Page>, added: (row: ResultRow) => ResultRow): AsyncGenerator<Page> {
  for await (const { rows, next_cursor } of pages) yield { rows: rows.map(added), next_cursor };
}
