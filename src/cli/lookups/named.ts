import { showsColumn } from '../global-options.ts';
import { readColumn } from '../output/paths.ts';
import { isRow, type Page, type ResultRow } from '../output/result.ts';
import type { Lookup } from '../verb/lookup.ts';
import type { Session, Verb } from '../verb/noun.ts';
import { agentLookup } from './agents.ts';
import { campaignLookup } from './campaigns.ts';
import { contactLookup, contactName } from './contacts.ts';
import { eventLookup } from './events.ts';
import { listLookup } from './lists.ts';
import { pipelineLookup } from './pipelines.ts';
import { readRecords } from './records.ts';
import { tagLookup } from './tags.ts';
import { templateLookup } from './templates.ts';

/** A field that shows the names of the records whose ids another field contains: one id, or a list. */
interface NamedField<Item extends ResultRow> {
  readonly field: string;
  /** The path of the ids in a row. */
  readonly id: string;
  readonly lookup: Lookup<Item>;
  readonly nameOf: (record: Item) => string;
  /** What stands for an id in a list that is null. */
  readonly none?: string;
}

/** Adds a field to rows. Rows whose record is gone show its id. */
type AddField = (session: Session, rows: readonly ResultRow[]) => Promise<readonly ResultRow[]>;

const ofCampaign = { lookup: campaignLookup, nameOf: ({ name }: { readonly name: string }) => name };
const ofAgent = { lookup: agentLookup, nameOf: ({ id, name }: { readonly id: string; readonly name?: string | null }) => name ?? id };

export const contactField = namedField({ field: 'contact', id: 'contact_id', lookup: contactLookup, nameOf: contactName });
export const agentField = namedField({ field: 'agent', id: 'agent_id', ...ofAgent });
export const defaultAgentsField = namedField({ field: 'agents', id: 'default_agents.agent_id', ...ofAgent, none: 'nobody' });
export const campaignField = namedField({ field: 'campaign', id: 'campaign_id', ...ofCampaign });
export const campaignsField = namedField({ field: 'campaigns', id: 'campaign_ids', ...ofCampaign });
export const listsField = namedField({ field: 'lists', id: 'list_ids', lookup: listLookup, nameOf: ({ name }) => name });
export const templateField = namedField({ field: 'template', id: 'template_id', lookup: templateLookup, nameOf: ({ name }) => name });
export const pipelineField = namedField({ field: 'pipeline', id: 'pipeline_id', lookup: pipelineLookup, nameOf: ({ name }) => name });
export const tagField = namedField({ field: 'tag', id: 'tag_id', lookup: tagLookup, nameOf: ({ name }) => name });
export const eventField = namedField({ field: 'event', id: 'event_id', lookup: eventLookup, nameOf: ({ name }) => name });
export const eventsField = namedField({ field: 'events', id: 'event_ids', lookup: eventLookup, nameOf: ({ name }) => name });

/** The names of stages, which are read with their pipelines. */
export const stageField: NamedColumn = {
  field: 'stage',
  id: 'stage_id',
  add: async ({ names }, rows) => {
    const ids = rows.map((row) => row.pipeline_id as string);
    const pipelines = await readRecords(names, pipelineLookup, ids);
    const nameOf = ({ pipeline_id: pipeline, stage_id: id }: ResultRow) =>
      pipelines.get(pipeline as string)?.stages.find((stage) => stage.id === id)?.name ?? id;
    return rows.map((row) => ({ ...row, stage: nameOf(row) }));
  },
};

export type NamedColumn = ReturnType<typeof namedField>;

function namedField<Item extends ResultRow>({
  field,
  id,
  lookup,
  nameOf,
  none,
}: NamedField<Item>): { field: string; id: string; add: AddField } {
  const idsOf = (row: ResultRow) => [(readColumn(row, id) ?? []) as string | readonly (string | null)[]].flat();
  return {
    field,
    id,
    add: async ({ names }, given) => {
      // The rows of some lists are ids alone.
      const rows = given.map((row) => (isRow(row) ? row : { [id]: row }));
      const records = await readRecords(names, lookup, rows.flatMap(idsOf));
      const named = (row: ResultRow) =>
        idsOf(row).map((each) => {
          const record = records.get(each);
          return record ? nameOf(record) : (each ?? none ?? null);
        });
      return rows.map((row) => ({ ...row, [field]: Array.isArray(readColumn(row, id)) ? named(row) : (named(row)[0] ?? null) }));
    },
  };
}

/**
 * A verb that shows the names of records beside their ids, in tables and where `--fields` asks for them. Other formats show the
 * response.
 * @param table the columns of tables, the most important first; by default, those of the verb with names in place of ids
 */
export function withNamedFields(verb: Verb, fields: readonly NamedColumn[], table = withNames(verb, fields)): Verb {
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

function withNames({ shown }: Verb, fields: readonly NamedColumn[]): readonly string[] {
  return (shown?.table ?? shown?.columns ?? []).map((column) => fields.find(({ id }) => id === column)?.field ?? column);
}
