import type { Endpoint } from '../../contract/endpoint.ts';
import type { AccountTable, RecordColumns } from '../store/account-table.ts';
import type { Columns, WireOf } from '../store/table.ts';
import type { AccountContext } from './handler.ts';

type Context = Pick<AccountContext<Endpoint>, 'db' | 'account'>;

type IdContext = Context & { readonly params: { readonly id: string } };

/** A record as answers show it. */
type Shown<C extends Columns> = WireOf<RecordColumns<C>>;

/** Creates the handler that lists records in the field `rows` of the answer. */
export function listRecords<const Rows extends string, C extends Columns>(table: AccountTable<string, C>, rows: Rows) {
  return async ({ db, account, page }: Context & Pick<AccountContext<Endpoint>, 'page'>) => {
    const found = await page((before, limit) => table.list(db, account.id, before, limit) as Promise<{ seq: number }[]>);
    const shown = { [rows]: found.rows.map((row) => table.show(row as never)) };
    return { ...shown, next_cursor: found.next_cursor } as { [Field in Rows]: Shown<C>[] } & { next_cursor: string | null };
  };
}

/** Creates the handler that shows a record in the field `noun` of the answer. */
export function getRecord<const Noun extends string, C extends Columns>(table: AccountTable<string, C>, noun: Noun) {
  return async ({ db, account, params }: IdContext) => {
    const record = await table.require(db, account.id, params.id);
    return { [noun]: table.show(record) } as { [Field in Noun]: Shown<C> };
  };
}

/** Creates the handler that deletes a record. */
export function deleteRecord<C extends Columns>(table: Pick<AccountTable<string, C>, 'delete'>) {
  return async ({ db, account, params }: IdContext) => {
    await table.delete(db, account.id, params.id);
    return {};
  };
}
