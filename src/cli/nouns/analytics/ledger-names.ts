import type { Session } from '../../verb/noun.ts';
import type { Page, ResultRow } from '../../output/result.ts';
import { namesOf, showsNames } from './names.ts';
import { type Named, namedKinds } from './rows.ts';

/**
 * Adds the names of campaigns and agents to ledger records as `campaign_name` and `agent_name`. They are read once, when a record
 * has the first id. Tables show the id where there is no name.
 */
export async function* withRecordNames(pages: AsyncIterable<Page>, session: Session): AsyncGenerator<Page> {
  if (!showsNames(session.globals)) {
    yield* pages;
    return;
  }
  const names = new Map<Named, ReadonlyMap<string, string | null>>();
  const { output, fields } = session.globals;
  const isForPeople = output === 'table' && fields === undefined;
  for await (const page of pages) {
    for (const kind of namedKinds)
      if (!names.has(kind) && page.rows.some((row) => row[`${kind}_id`] !== null)) names.set(kind, await namesOf(kind, session));
    const nameOf = (row: ResultRow, kind: Named) => {
      const id = row[`${kind}_id`] as string | null;
      return names.get(kind)?.get(id ?? '') ?? (isForPeople ? id : null);
    };
    yield { ...page, rows: page.rows.map((row) => ({ ...row, campaign_name: nameOf(row, 'campaign'), agent_name: nameOf(row, 'agent') })) };
  }
}
