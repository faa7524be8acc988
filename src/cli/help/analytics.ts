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
import { dayForms } from '../nouns/analytics/days.ts';
import type { Block } from './layout.ts';

/** The topic `msgctl help analytics`. */
export const blocks: readonly Block[] = [
  `Days are UTC days. --from takes ${dayForms}. --to is optional.`,
  `A request takes at most ${rangeCaps.ledger} days (summary, credits, ai-cost), ${rangeCaps.series} (series, outcomes) or ` +
    `${rangeCaps.conversations} (conversation-costs). A longer range is read in parts, which are added up; the parts of weeks and ` +
    `months end where those end. The dashboard and insights cannot be added up: of a longer range they have the last ${rangeCaps.series} days, ` +
    'and say so on stderr, with -o json as {"event":"clamped","message":"…","from":"…","to":"…"}.',
  'Tables, CSV, TSV and NDJSON have rows. JSON and YAML have the answer of the interface, as --query and --jq do.',
  [
    ['summary', summaryColumns.join(', ')],
    [
      'credits',
      `${ledgerColumns.join(', ')}; newest first; every record as CSV, TSV and NDJSON unless --limit is given; otherwise 50, and next_cursor`,
    ],
    ['ai-cost', `${aiCostColumns.join(', ')}; with --by provider: ${providerColumns.join(', ')}`],
    [
      'series',
      `date, what it is grouped by (with ${nameColumns.join(' and ')} beside the ids), and a column for each metric: a row for each label and key`,
    ],
    ['outcomes', outcomeColumns('date').join(', ')],
    ['conversation-costs', costColumns.join(', ')],
    ['dashboard', `${dashboardColumns.join(', ')}: a row for each block, date and key; the feed of activities is in JSON`],
    ['insights', insightColumns.join(', ')],
    ['activity', activityColumns.join(', ')],
    ['--pivot', 'a row for each date, and a column for each series'],
    [
      '--compare previous',
      `${comparedColumns([]).join(', ')}; whole months beside as many months before, the first days of a month beside those of the month before, a single day, a number of days such as 7d or any other range beside as many days before it; empty where a figure is unknown, because the largest tags or series of the other period leave it out`,
    ],
    ['--chart', 'lines, bars and the hours of the week, for people'],
    ['--sub-account all', 'the columns sub_account_id and sub_account before the others'],
  ],
  `Campaigns and agents are named in tables and charts; CSV, TSV and NDJSON have their ids and names, a pivot only the ids. What did not fit into --series is the key (other), which a note on stderr says. Outcomes list the ${outcomeTagsMax} tags with the most conversations, the dashboard the ${topCampaignsMax} campaigns that sent the most messages.`,
  '`msgctl analytics export` writes a dataset to a file, and records its progress in --checkpoint:',
  [
    ['credits', `${credits.columns({}).join(', ')}; each run adds the records that are new: no record twice, none missed`],
    ['sessions', `${sessions.columns({}).join(', ')}; each run adds the conversations that have ended since`],
    ['series', 'as above; each run replaces the file, because a receipt counts for the day of its message'],
  ],
  'An export writes a temporary file and renames it when it is complete, so a reader never sees half of it. FILE.manifest.json has ' +
    'its rows, its SHA-256, its window of days and the version of its columns. Each run writes its rows newest first. When the file is missing, the next run ' +
    'creates a new one with what is new. Without --since, the first run begins on the day on which the account was created, or with its first figures when they are older. ' +
    'A key that may not read the account does not know that day: a series then begins with the first figures, and the ledger ten years earlier, because ' +
    'the figures do not include corrections. A run that fails keeps what it read: the next one goes on from there. ' +
    'A run of credits compares how many records the ledger has with how many were exported. If some were added later with earlier ' +
    'dates, as `sandbox demo` does, or deleted before they were exported, it exits with 6: export everything again with a new ' +
    'checkpoint, or add --accept-missing to go on without them; the manifest then has their number. ' +
    'Conversations that `sandbox demo` dates back are not noticed. A run of an agent that has not ended yet is exported with a cost of 0. ' +
    'A file that somebody put there or changed is replaced only with --yes, and never by a later run of credits or sessions, which ' +
    'could not write its earlier rows again. The file and its checkpoint may be moved; when the service has another address, ' +
    'add --yes. If the reporting database is unavailable, the export exits with 9. It waits for the rate limit, and estimates ' +
    'beforehand how long that takes.',
];
