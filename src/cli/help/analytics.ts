import { outcomeTagsMax, rangeCaps, topCampaignsMax } from '../../contract/areas/analytics/names.ts';
import { dashboardColumns } from '../nouns/analytics/dashboard-rows.ts';
import { credits } from '../nouns/analytics/export/credits.ts';
import { sessions } from '../nouns/analytics/export/sessions.ts';
import { comparedColumns } from '../nouns/analytics/compared.ts';
import {
  activityColumns,
  aiCostColumns,
  costColumns,
  insightColumns,
  providerColumns,
  ledgerColumns,
  nameColumns,
  outcomeColumns,
  summaryColumns,
} from '../nouns/analytics/rows.ts';
import { dayForms } from '../verb/days.ts';
import type { Block } from './layout.ts';

/** The topic `msgctl help analytics`. */
export const blocks: readonly Block[] = [
  `Days are UTC days. --from takes ${dayForms}. --to is optional.`,
  `One request covers at most ${rangeCaps.ledger} days (summary, credits, ai-cost), ${rangeCaps.series} (series, outcomes) or ` +
    `${rangeCaps.conversations} (conversation-costs). msgctl reads a longer range in several requests and adds up the results. The dashboard and insights ` +
    `cannot be added up: for a longer range they show the last ${rangeCaps.series} days. A note on stderr says so, with -o json as ` +
    '{"event":"clamped","message":"…","from":"…","to":"…"}.',
  'Tables, CSV, TSV and NDJSON print rows. JSON and YAML print the API response, and --query and --jq select from it.',
  [
    ['summary', summaryColumns.join(', ')],
    [
      'credits',
      `${ledgerColumns.join(', ')}. Newest first. CSV, TSV and NDJSON have every record unless --limit is given; other formats have 50 and a next_cursor. ` +
        `credits is positive where credits are spent and negative where they come in, as in the interface. Tables have balance_change instead, with the opposite signs.`,
    ],
    ['ai-cost', `${aiCostColumns.join(', ')}; with --by provider: ${providerColumns.join(', ')}`],
    [
      'series',
      `date, the columns of --group-by (with ${nameColumns.join(' and ')} next to the ids), and one column for each metric. One row for each date and group.`,
    ],
    ['outcomes', outcomeColumns('date').join(', ')],
    ['conversation-costs', costColumns.join(', ')],
    ['dashboard', `${dashboardColumns.join(', ')}. One row for each block, date and key. Only JSON and YAML have the activity feed.`],
    ['insights', insightColumns.join(', ')],
    ['activity', activityColumns.join(', ')],
    ['--pivot', 'one row for each date, and one column for each series'],
    ['--compare previous', `${comparedColumns([]).join(', ')}`],
    [
      '  which period',
      'Whole months are compared with as many months before. The first days of a month are compared with the same days of the month before. ' +
        'Any other range, such as 7d, is compared with as many days before it.',
    ],
    ['  empty cells', 'The figure is unknown: the other period does not list this tag or series, because it lists only the largest.'],
    ['--chart', 'charts in the terminal: lines, bars and the hours of the week'],
    ['--sub-account all', 'adds the columns sub_account_id and sub_account at the front'],
  ],
  `Tables and charts show the names of campaigns and agents. CSV, TSV and NDJSON have ids and names; a pivot has only ids. When there are more series than --series allows, ` +
    'the rest are added up under the key (other), and a note on stderr says so. ' +
    `Outcomes list the ${outcomeTagsMax} tags with the most conversations. The dashboard lists the ${topCampaignsMax} campaigns that sent the most messages.`,
  '`msgctl analytics export` writes a dataset to a file, and records its progress in --checkpoint:',
  [
    ['credits', `${credits.columns({}).join(', ')}. Each run adds the new records: none twice, none missed.`],
    ['sessions', `${sessions.columns({}).join(', ')}. Each run adds the conversations that have ended since the last run.`],
    ['series', 'as above. Each run replaces the file, because a late delivery report changes the figures of an earlier day.'],
  ],
  'An export writes a temporary file and renames it when it is complete, so other programs never see half a file. FILE.manifest.json holds ' +
    'the number of rows, the SHA-256, the days and the version of the columns. Each run writes its rows newest first. If the file is missing, the next run ' +
    'creates a new one that holds only new rows.',
  'Without --since, the first run begins on the day on which the account was created, or with its first figures if they are older. ' +
    'A key that may not read the account cannot see that day. A series then begins with the first figures, and credits begin ten years ago.',
  'If a run fails, it keeps what it has read, and the next run continues from there. ' +
    'A run of credits compares the number of records in the ledger with the number exported. They differ if records were added with earlier ' +
    'dates, as `sandbox demo` does, or deleted before they were exported. The run then exits with 6: export everything again with a new ' +
    'checkpoint, or add --accept-missing to continue without these records. The manifest then says how many are missing. ' +
    'A run of sessions does not notice conversations that `sandbox demo` dates back. An agent run that has not ended yet is exported with a cost of 0.',
  'An export replaces a file that somebody else wrote or changed only with --yes. Later runs of credits and sessions never replace such a file, because they ' +
    'could not write its earlier rows again. You may move the file and its checkpoint. If the service has a new address, ' +
    'add --yes. An export waits for the rate limit, and estimates the waiting time in advance. It exits with 9 if the reporting database is unavailable.',
];
