import { showsColumn } from '../global-options.ts';
import type { Page, ResultRow } from '../output/result.ts';
import type { Lookup } from '../verb/lookup.ts';
import type { Session, Verb } from '../verb/noun.ts';
import { agentLookup } from './agents.ts';
import { contactLookup, contactName } from './contacts.ts';
import { readRecords } from './records.ts';

/** A field that shows the name of the record whose id another field contains. */
interface NamedField<Item extends ResultRow> {
  readonly field: string;
  readonly id: string;
  readonly lookup: Lookup<Item>;
  readonly nameOf: (record: Item) => string;
}

/** The contact of a row, by name. */
export const contactField = namedField({ field: 'contact', id: 'contact_id', lookup: contactLookup, nameOf: contactName });

/** The agent of a row, by name. */
export const agentField = namedField({ field: 'agent', id: 'agent_id', lookup: agentLookup, nameOf: ({ id, name }) => name ?? id });

/** Adds a field to rows. Rows whose record is gone show its id. */
type AddField = (session: Session, rows: readonly ResultRow[]) => Promise<readonly ResultRow[]>;

function namedField<Item extends ResultRow>({ field, id, lookup, nameOf }: NamedField<Item>): { field: string; add: AddField } {
  return {
    field,
    add: async ({ names }, rows) => {
      const records = await readRecords(
        names,
        lookup,
        rows.map((row) => row[id] as string | null),
      );
      return rows.map((row) => {
        const record = records.get(row[id] as string | null);
        return { ...row, [field]: record ? nameOf(record) : row[id] };
      });
    },
  };
}

/**
 * A verb that shows the names of records beside their ids, in tables and where `--fields` asks for them. Other formats show the
 * response.
 * @param table the columns of tables, the most important first
 */
export function withNamedFields(verb: Verb, fields: readonly ReturnType<typeof namedField>[], table: readonly string[]): Verb {
  return {
    ...verb,
    shown: verb.shown && { ...verb.shown, table, further: [...(verb.shown.further ?? []), ...fields.map(({ field }) => field)] },
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      const wanted = fields.filter(({ field }) => showsColumn(session.globals, field));
      const added = async (rows: readonly ResultRow[]) => {
        let named = rows;
        for (const { add } of wanted) named = await add(session, named);
        return named;
      };
      async function* pages(all: AsyncIterable<Page>): AsyncGenerator<Page> {
        for await (const page of all) yield { ...page, rows: await added(page.rows) };
      }
      if (wanted.length === 0) return result;
      if (result.kind === 'list') return { ...result, pages: pages(result.pages) };
      if (result.kind !== 'record') return result;
      const [record = {}] = await added([result.record]);
      return { ...result, record };
    },
  };
}
