import * as contract from '../../contract/areas/analytics/endpoints.ts';
import { getDashboard, getInsights } from '../../contract/areas/analytics/dashboard.ts';
import { groupings, metricNames, outcomeTagsMax, rangeCaps, sessionsMax } from '../../contract/areas/analytics/names.ts';
import { digits } from '../../contract/text/counted.ts';
import type { Answer } from '../../contract/endpoint.ts';
import { callVerb } from '../verb/call-verb.ts';
import type { Noun, Session } from '../verb/noun.ts';
import { parseList } from '../verb/values.ts';
import { agentLookup } from '../lookups/agents.ts';
import { campaignLookup } from '../lookups/campaigns.ts';
import { tagLookup } from '../lookups/tags.ts';
import { activityVerb } from './analytics/activity.ts';
import { dashboardColumns, dashboardRows, dashboardTotalColumns, dashboardTotals } from './analytics/dashboard-rows.ts';
import { exportVerb } from './analytics/export/export-verb.ts';
import { dayForms } from '../verb/days.ts';
import { costCharts, dashboardCharts, outcomeCharts, seriesCharts, summaryCharts, usdCharts } from './analytics/charts.ts';
import { figuresVerb } from './analytics/figures-verb.ts';
import { alignSeries, joinAiCost, joinConversationCosts, joinOutcomes, joinSeries, joinSummary } from './analytics/join.ts';
import { ledgerVerb, truncatedNote } from './analytics/ledger.ts';
import { reportVerb } from './analytics/report/report-verb.ts';
import { nameSeries, withNamesBeside } from './analytics/names.ts';
import {
  aiCostColumns,
  costColumns,
  costRows,
  costTotals,
  dimensionsOf,
  insightColumns,
  keyColumns,
  nameColumns,
  outcomeColumns,
  outcomeRows,
  other,
  outcomeTotals,
  providerColumns,
  providerRows,
  providerTotals,
  restTotals,
  seriesColumns,
  seriesRows,
  seriesTotals,
  summaryColumns,
  withNameOfNoTag,
} from './analytics/rows.ts';

const firstDay = `the first day, or all days: ${dayForms}`;
const lastDay = 'the last day (default: the end of the range that --from names)';

const dayFields = [
  { field: 'from', placeholder: 'day', summary: firstDay },
  { field: 'to', placeholder: 'day', summary: lastDay },
] as const;

const dateFields = [
  { field: 'startDate', flag: 'from', placeholder: 'day', summary: firstDay, default: '30d' },
  { field: 'endDate', flag: 'to', placeholder: 'day', summary: lastDay, default: 'today' },
] as const;

const scopeFields = [
  { field: 'campaign_id', flag: 'campaign', lookup: campaignLookup },
  { field: 'agent_id', flag: 'agent', lookup: agentLookup },
] as const;

/** The API takes the tags as a single text. */
const tagsField = {
  field: 'tag_ids',
  flag: 'tags',
  placeholder: 'tags',
  summary: 'only contacts that have one of these tags now: up to 25 names or ids',
  completes: tagLookup,
  parse: parseList,
  resolve: async (words: unknown, { names }: Session) => (await names.ids(tagLookup, words as string[])).join(','),
} as const;

/** Whether the service accepts a number of series. */
const withinLimit = (series: unknown) => Number(series) >= 1 && Number(series) <= contract.seriesLimit.max;

/** Whether an insight says something. The service always tells a win, also when its figure is 0. */
function isSomething({ tone, detail }: Answer<typeof getInsights>['data']['insights'][number]): boolean {
  return tone !== 'win' || !detail.startsWith('0 ');
}

export const analytics: Noun = {
  name: 'analytics',
  verbs: [
    figuresVerb<Answer<typeof contract.getSummary>>(
      callVerb({
        name: 'summary',
        endpoint: contract.getSummary,
        examples: [
          ['msgctl analytics summary --from 7d', 'the last seven days'],
          ['msgctl analytics summary --from last-month --compare previous', 'last month compared with the month before'],
          ['msgctl analytics summary --from 2026-Q3 --campaign Spring -o csv', 'a campaign, day by day'],
        ],
        fields: [...dayFields, ...scopeFields],
        shown: { columns: ['totals', 'by_date'] },
      }),
      {
        most: rangeCaps.ledger,
        join: joinSummary,
        rows: {
          field: 'by_date',
          known: summaryColumns,
          of: ({ by_date: days }) => days,
          columns: () => summaryColumns,
          // The total adds messages, contacts and appointments.
          onTerminal: { of: ({ by_date: days }) => days, columns: () => summaryColumns.filter((column) => column !== 'total') },
        },
        totals: { about: () => [], of: ({ totals }) => [{ about: {}, figures: totals }] },
        charts: summaryCharts,
        inAll: ({ totals: { total: _, ...figures } }) => figures,
        note: ({ truncated: isTruncated }) => (isTruncated ? truncatedNote : undefined),
      },
    ),
    ledgerVerb(
      callVerb({
        name: 'credits',
        endpoint: contract.getLedger,
        examples: [
          ['msgctl analytics credits --from 2026-Q3 -o csv', 'every record of a quarter'],
          ['msgctl analytics credits --query by_reason', 'what credits were spent on'],
        ],
        fields: [...dayFields, ...scopeFields],
        shown: { columns: ['at', 'reason', 'credits', 'id'] },
      }),
    ),
    figuresVerb<Answer<typeof contract.getAiCost>>(
      callVerb({
        name: 'ai-cost',
        endpoint: contract.getAiCost,
        examples: [
          ['msgctl analytics ai-cost --from this-month', 'what calls cost with your own key'],
          ['msgctl analytics ai-cost --from this-month --by provider -o csv', 'the same for each provider'],
        ],
        fields: dayFields,
        options: [{ flags: '--by <what>', summary: 'show rows for each day and provider', choices: ['provider'] }],
        shown: { columns: ['totals', 'days'] },
      }),
      {
        most: rangeCaps.ledger,
        join: joinAiCost,
        rows: {
          field: 'days',
          known: [...new Set([...aiCostColumns, ...providerColumns])],
          of: (answer, { by }) => (by ? providerRows(answer) : answer.days),
          columns: (_answer, { by }) => (by ? providerColumns : aiCostColumns),
        },
        totals: {
          about: (_answer, { by }) => (by ? ['provider'] : []),
          of: (answer, { by }) => (by ? providerTotals(answer) : [{ about: {}, figures: answer.totals }]),
        },
        charts: usdCharts,
        inAll: ({ totals }) => totals,
        note: ({ costs_redacted: isRedacted }) =>
          isRedacted ? 'Costs are shown as 0: this account has no AI key of its own, or its costs are hidden.' : undefined,
      },
    ),
    figuresVerb<Answer<typeof contract.getSeries>>(
      callVerb({
        name: 'series',
        endpoint: contract.getSeries,
        examples: [
          ['msgctl analytics series --metrics sent,replied --chart', 'two metrics of the last 30 days, as a chart'],
          ['msgctl analytics series --metrics sent --group-by channel --pivot -o csv', 'a column for each channel'],
          ['msgctl analytics series --from 2026 --granularity month --group-by agent', 'a year, month by month'],
        ],
        fields: [
          ...dayFields,
          { field: 'metrics', placeholder: 'names', completes: metricNames, isList: true },
          { field: 'group_by', placeholder: 'names', completes: groupings, isList: true },
          'granularity',
          { field: 'limit', flag: 'series' },
          ...scopeFields,
          'channel',
        ],
        shown: { columns: ['labels', 'series', 'other_bucket'] },
      }),
      {
        most: rangeCaps.series,
        join: (parts, { series = contract.seriesLimit.default }) => joinSeries(parts, Number(series)),
        ofParts: ({ series = 1, ...options }) => ({ ...options, series: withinLimit(series) ? contract.seriesLimit.max : series }),
        named: nameSeries,
        withNames: withNamesBeside,
        rows: { field: 'rows', known: [...groupings, ...nameColumns, ...metricNames], of: seriesRows, columns: seriesColumns },
        foldedNote: `The smallest series are added up as ${other}. --series shows up to ${contract.seriesLimit.max} series.`,
        longForm: (answer) => ({
          rows: seriesRows(answer),
          dates: answer.labels,
          keys: dimensionsOf(answer),
          figures: answer.metrics,
        }),
        totals: {
          about: keyColumns,
          of: seriesTotals,
          rest: restTotals,
          isComplete: ({ other_bucket: rest }) => rest === null,
          most: ({ series = contract.seriesLimit.default }) => Number(series),
        },
        align: (current, previous, { series = contract.seriesLimit.default }) => alignSeries(current, previous, Number(series)),
        charts: seriesCharts,
      },
    ),
    figuresVerb<Answer<typeof contract.getOutcomes>>(
      callVerb({
        name: 'outcomes',
        endpoint: contract.getOutcomes,
        examples: [['msgctl analytics outcomes --group-by tag --from 90d', 'conversations by the tags of their contacts']],
        fields: [...dayFields, ...scopeFields, 'group_by'],
        shown: { columns: ['by_tag', 'totals'] },
      }),
      {
        most: rangeCaps.series,
        join: joinOutcomes,
        rows: {
          field: 'rows',
          known: outcomeColumns('date'),
          of: outcomeRows,
          columns: ({ group_by: group }) => outcomeColumns(group),
        },
        longForm: (answer) => ({ rows: outcomeRows(answer), dates: answer.labels, keys: ['tag'], figures: ['conversations'] }),
        totals: { about: () => ['tag'], of: outcomeTotals, isComplete: ({ by_tag: tags }) => tags.length < outcomeTagsMax },
        charts: outcomeCharts,
        inAll: ({ totals: { sessions, ...outcomes } }) => ({ conversations: sessions, ...outcomes }),
        note: ({ by_tag: tags }, isJoined) =>
          isJoined || tags.length < outcomeTagsMax
            ? undefined
            : `The ${outcomeTagsMax} tags with the most conversations are listed; there can be more.`,
        named: (answer) => Promise.resolve(withNameOfNoTag(answer)),
      },
    ),
    figuresVerb<Answer<typeof contract.getConversationCosts>>(
      callVerb({
        name: 'conversation-costs',
        endpoint: contract.getConversationCosts,
        examples: [['msgctl analytics conversation-costs --from 30d', 'what conversations cost, with and without the help of people']],
        fields: dayFields,
        shown: { columns: ['sessions', 'total_credits', 'summary'] },
      }),
      {
        most: rangeCaps.conversations,
        join: joinConversationCosts,
        rows: { field: 'rows', known: costColumns, of: costRows, columns: () => costColumns },
        totals: { about: () => ['handling'], of: costTotals },
        charts: costCharts,
        inAll: ({ sessions, total_credits: credits }) => ({ conversations: sessions, credits }),
        note: ({ sessions_truncated: isTruncated }) =>
          isTruncated
            ? `The figures cover only ${digits(sessionsMax)} conversations, because there are more (sessions_truncated).`
            : undefined,
      },
    ),
    figuresVerb<Answer<typeof getDashboard>>(
      callVerb({
        name: 'dashboard',
        endpoint: getDashboard,
        examples: [
          ['msgctl analytics dashboard --from 7d --chart', 'charts of the hours of the week, channels and campaigns'],
          ['msgctl analytics dashboard --tags VIP,Newsletter --tag-match all', 'only contacts that have both tags now'],
          ['msgctl analytics dashboard --query data.topCampaigns', 'one block'],
        ],
        fields: [...dateFields, ...scopeFields, tagsField, 'tag_match', 'granularity'],
        shown: { field: 'data', columns: ['heatmap', 'topCampaigns', 'channelVolume'] },
      }),
      {
        most: rangeCaps.series,
        needsDays: true,
        rows: {
          field: 'rows',
          known: dashboardColumns,
          of: dashboardRows,
          columns: () => dashboardColumns,
          // Of several accounts, whose charts would not fit.
          onTerminal: { of: dashboardTotals, columns: () => dashboardTotalColumns },
        },
        charts: dashboardCharts,
        isDrawn: true,
      },
    ),
    figuresVerb<Answer<typeof getInsights>>(
      callVerb({
        name: 'insights',
        endpoint: getInsights,
        examples: [['msgctl analytics insights --from last-month', 'what went well, what to watch and what to do next']],
        fields: dateFields,
        shown: { field: 'data', columns: ['insights'] },
      }),
      {
        most: rangeCaps.series,
        needsDays: true,
        rows: {
          field: 'insights',
          known: insightColumns,
          of: ({ data }) => data.insights,
          columns: () => insightColumns,
          onTerminal: { of: ({ data }) => data.insights.filter(isSomething), columns: () => insightColumns },
        },
      },
    ),
    activityVerb,
    exportVerb,
    reportVerb,
  ],
};
