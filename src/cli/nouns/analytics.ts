import * as contract from '../../contract/areas/analytics/endpoints.ts';
import { getDashboard, getInsights } from '../../contract/areas/analytics/dashboard.ts';
import type { Answer } from '../../contract/endpoint.ts';
import { callVerb } from '../command/call-verb.ts';
import type { Noun, Options, Verb } from '../command/noun.ts';
import { type GlobalOptions, selectsFromAnswer } from '../global-options.ts';
import { agentLookup } from '../lookups/agents.ts';
import { campaignLookup } from '../lookups/campaigns.ts';
import type { Page, Result, Row } from '../output/result.ts';
import { wholeList } from '../output/result.ts';
import { dayForms, daysOf, withUsualDays } from './analytics/days.ts';
import { costRows, outcomeRows, seriesColumns, seriesRows } from './analytics/rows.ts';

const firstDay = `the first day, or all days: ${dayForms}`;
const lastDay = 'the last day; without it, the end of what --from names';

const dayFields = [
  { field: 'from', placeholder: 'day', summary: `${firstDay} (default: 30d)` },
  { field: 'to', placeholder: 'day', summary: `${lastDay} (default: today)` },
] as const;

const dateFields = [
  { field: 'startDate', flag: 'from', placeholder: 'day', summary: firstDay, default: '30d' },
  { field: 'endDate', flag: 'to', placeholder: 'day', summary: lastDay, default: 'today' },
] as const;

const scopeFields = [
  { field: 'campaign_id', flag: 'campaign', lookup: campaignLookup },
  { field: 'agent_id', flag: 'agent', lookup: agentLookup },
] as const;

/** Makes `--from` and `--to` of a verb take days as people write them. @param isRequired whether the interface needs both */
function withDays(verb: Verb, isRequired = false): Verb {
  return {
    ...verb,
    run: async (session, values, options) => {
      const now = session.world.now();
      const days = daysOf(options, now);
      const given: Options = { ...options, ...(isRequired ? withUsualDays(days, now) : days) };
      return await verb.run(session, values, given);
    },
  };
}

/** What of an answer is shown as rows, where there are columns. */
interface AsRows<Whole> {
  readonly field: string;
  readonly rows: (answer: Whole) => readonly Row[];
  readonly columns?: (answer: Whole) => readonly string[];
}

/** Whether rows are shown: as a table, CSV or NDJSON. JSON and YAML have the answer, as expressions do. */
function showsRows(globals: GlobalOptions): boolean {
  return !selectsFromAnswer(globals) && globals.output !== 'json' && globals.output !== 'yaml';
}

/** Makes a verb show rows made of its answer. */
function withRows<Whole>(verb: Verb, { field, rows, columns }: AsRows<Whole>): Verb {
  return {
    ...verb,
    run: async (session, values, options): Promise<Result> => {
      const result = await verb.run(session, values, options);
      if (result.kind !== 'record' || !showsRows(session.globals)) return result;
      const answer = result.answer as Whole;
      return { ...wholeList(field, rows(answer)), ...(columns && { columns: columns(answer) }) };
    },
  };
}

/** Makes the document of a paginated list carry the other fields of its first page. */
function withFirstPage(verb: Verb): Verb {
  return {
    ...verb,
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      if (result.kind !== 'list') return result;
      let further: Row = {};
      async function* pages(all: AsyncIterable<Page>) {
        let isFirst = true;
        for await (const page of all) {
          if (isFirst) further = page.further ?? {};
          isFirst = false;
          yield page;
        }
      }
      return { ...result, pages: pages(result.pages), totals: () => further };
    },
  };
}

export const analytics: Noun = {
  name: 'analytics',
  verbs: [
    withRows<Answer<typeof contract.getSummary>>(
      withDays(
        callVerb({
          name: 'summary',
          endpoint: contract.getSummary,
          examples: [
            ['msgctl analytics summary --from 7d', 'the last seven days'],
            ['msgctl analytics summary --from last-month --campaign Spring -o csv', 'a campaign by day'],
          ],
          fields: [...dayFields, ...scopeFields],
          shown: { columns: ['totals', 'by_date'] },
        }),
      ),
      { field: 'by_date', rows: ({ by_date: days }) => days, columns: ({ totals }) => ['date', ...Object.keys(totals)] },
    ),
    withFirstPage(
      withDays(
        callVerb({
          name: 'credits',
          endpoint: contract.getLedger,
          examples: [
            ['msgctl analytics credits --from 2026-Q3 --all -o csv', 'every record of a quarter'],
            ['msgctl analytics credits --query by_reason', 'what credits were spent on'],
          ],
          fields: [...dayFields, ...scopeFields],
          shown: { columns: ['at', 'reason', 'credits', 'cost_usd', 'is_adjustment', 'campaign_id', 'agent_id', 'message_id', 'id'] },
        }),
      ),
    ),
    withRows<Answer<typeof contract.getAiCost>>(
      withDays(
        callVerb({
          name: 'ai-cost',
          endpoint: contract.getAiCost,
          examples: [['msgctl analytics ai-cost --from this-month', 'what calls cost with your own key']],
          fields: dayFields,
          shown: { columns: ['totals', 'days'] },
        }),
      ),
      {
        field: 'days',
        rows: ({ days }) => days,
        columns: () => ['date', 'calls', 'total_usd', 'input_usd', 'output_usd', 'cache_read_usd', 'byok_usd', 'platform_usd'],
      },
    ),
    withRows<Answer<typeof contract.getSeries>>(
      withDays(
        callVerb({
          name: 'series',
          endpoint: contract.getSeries,
          examples: [
            ['msgctl analytics series --metrics sent,replied --from 30d', 'two metrics by day'],
            ['msgctl analytics series --metrics sent --group-by channel --granularity week -o csv', 'in long form'],
          ],
          fields: [
            ...dayFields,
            { field: 'metrics', placeholder: 'names' },
            { field: 'group_by', placeholder: 'names' },
            'granularity',
            { field: 'limit', flag: 'series' },
            ...scopeFields,
            'channel',
          ],
          shown: { columns: ['labels', 'series', 'other_bucket'] },
        }),
      ),
      { field: 'rows', rows: seriesRows, columns: seriesColumns },
    ),
    withRows<Answer<typeof contract.getOutcomes>>(
      withDays(
        callVerb({
          name: 'outcomes',
          endpoint: contract.getOutcomes,
          examples: [['msgctl analytics outcomes --group-by tag --from 90d', 'conversations by the tags of their contacts']],
          fields: [...dayFields, ...scopeFields, 'group_by'],
          shown: { columns: ['by_tag', 'totals'] },
        }),
      ),
      {
        field: 'rows',
        rows: outcomeRows,
        columns: ({ group_by: group }) => [...(group === 'date' ? ['date'] : []), 'tag', 'conversations', 'tag_id'],
      },
    ),
    withRows<Answer<typeof contract.getConversationCosts>>(
      withDays(
        callVerb({
          name: 'conversation-costs',
          endpoint: contract.getConversationCosts,
          examples: [['msgctl analytics conversation-costs --from 30d', 'what conversations cost with and without people']],
          fields: dayFields,
          shown: { columns: ['sessions', 'total_credits', 'summary'] },
        }),
      ),
      { field: 'rows', rows: costRows, columns: () => ['handling', 'sessions', 'credits', 'avg_credits'] },
    ),
    withDays(
      callVerb({
        name: 'dashboard',
        endpoint: getDashboard,
        examples: [
          ['msgctl analytics dashboard --from 7d -o json', 'every block of the dashboard'],
          ['msgctl analytics dashboard --query data.topCampaigns', 'one block'],
        ],
        fields: [...dateFields, ...scopeFields, { field: 'tag_ids', flag: 'tags', placeholder: 'ids' }, 'tag_match', 'granularity'],
        shown: {
          field: 'data',
          columns: [
            'startDate',
            'endDate',
            'topCampaigns',
            'channelVolume',
            'inboxSla',
            'ai_human_split',
            'conversation_outcomes',
            'contactsByCountry',
            'numberStats',
          ],
        },
      }),
      true,
    ),
    withRows<Answer<typeof getInsights>>(
      withDays(
        callVerb({
          name: 'insights',
          endpoint: getInsights,
          examples: [['msgctl analytics insights --from last-month', 'what went well, what to watch, what to do']],
          fields: dateFields,
          shown: { field: 'data', columns: ['insights'] },
        }),
        true,
      ),
      { field: 'insights', rows: ({ data }) => data.insights, columns: () => ['tone', 'title', 'detail'] },
    ),
    callVerb({
      name: 'activity',
      endpoint: contract.getActivity,
      examples: [['msgctl analytics activity contact con_1', 'what happened with a contact, newest first']],
      arguments: [
        { field: 'entityType', name: 'type' },
        { field: 'entityId', name: 'id' },
      ],
      shown: { rows: 'items', columns: ['at', 'kind', 'label', 'id'] },
    }),
  ],
};
