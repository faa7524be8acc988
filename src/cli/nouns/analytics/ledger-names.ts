import type { Session } from '../../verb/noun.ts';
import { showsColumn } from '../../global-options.ts';
import type { Page, ResultRow } from '../../output/result.ts';
import { namesOf, showsNames } from './names.ts';
import { balanceChange, namedKinds } from './rows.ts';

/** The kinds of records whose ids are in the ledger. */
const kinds = [...namedKinds, 'transfer_account'] as const;

type Kind = (typeof kinds)[number];

/**
 * Adds to ledger records what a verb shows beside the answer: the names of campaigns, agents and other accounts, and the change of the
 * balance. Names are read once, when a record has the first id. Tables show the id where there is no name.
 */
export async function* withRecordNames(pages: AsyncIterable<Page>, session: Session): AsyncGenerator<Page> {
  const { globals } = session;
  const named = kinds.filter((kind) => showsNames(globals) || showsColumn(globals, `${kind}_name`));
  const showsChange = showsColumn(globals, balanceChange);
  const names = new Map<Kind, ReadonlyMap<string, string | null>>();
  const isForPeople = globals.output === 'table' && globals.fields === undefined;
  for await (const page of pages) {
    for (const kind of named)
      if (!names.has(kind) && page.rows.some((row) => (row[`${kind}_id`] ?? null) !== null)) names.set(kind, await namesOf(kind, session));
    const nameOf = (row: ResultRow, kind: Kind) => {
      const id = row[`${kind}_id`] as string | null;
      return names.get(kind)?.get(id ?? '') ?? (isForPeople ? id : null);
    };
    const added = (row: ResultRow) => ({
      ...Object.fromEntries(named.map((kind) => [`${kind}_name`, nameOf(row, kind)])),
      ...(showsChange && { [balanceChange]: 0 - (row.credits as number) }),
    });
    yield { ...page, rows: page.rows.map((row) => ({ ...row, ...added(row) })) };
  }
}
