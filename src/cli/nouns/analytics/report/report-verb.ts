import { getDashboard } from '../../../../contract/areas/analytics/dashboard.ts';
import { getSummary } from '../../../../contract/areas/analytics/endpoints.ts';
import { rangeCaps, responsesMax } from '../../../../contract/areas/analytics/names.ts';
import type { Answer } from '../../../../contract/endpoint.ts';
import type { Options, Session, Verb } from '../../../command/noun.ts';
import { openOutputFile } from '../../../command/output-file.ts';
import { CliError, exitCodes, usageError } from '../../../errors.ts';
import { agentLookup } from '../../../lookups/agents.ts';
import { campaignLookup } from '../../../lookups/campaigns.ts';
import { digits } from '../../../../contract/counted.ts';
import type { Result, Row } from '../../../output/result.ts';
import { findAccount } from '../account.ts';
import { dayForms } from '../days.ts';
import { daysInForce } from '../service-time.ts';
import { reportCharts } from '../charts.ts';
import { lengthOf } from '../ranges.ts';

export const reportVerb: Verb = {
  name: 'report',
  summary: 'Write the dashboard as one self-contained web page with charts',
  examples: [['msgctl analytics report --from last-month --html report.html', 'a page to send or to print']],
  actsOnSubAccounts: true,
  isForOneAccount: true,
  options: [
    { flags: '--html <file>', summary: 'the file of the page', completes: 'file', isRequired: true },
    { flags: '--from <day>', summary: `the first day, or all days: ${dayForms} (default: 30d)` },
    { flags: '--to <day>', summary: 'the last day; without it, the end of what --from names (default: today)' },
    { flags: '--campaign <campaign>', summary: 'only figures of this campaign', completes: campaignLookup },
    { flags: '--agent <agent>', summary: 'only figures of this agent', completes: agentLookup },
  ],
  shown: { columns: ['file', 'from', 'to'] },
  run: writeReport,
};

async function writeReport(session: Session, _values: readonly string[], options: Options): Promise<Result> {
  const { targets, names, globals } = session;
  const days = await daysInForce(options, session);
  if (lengthOf(days) > rangeCaps.series)
    throw usageError(
      `A report has at most ${rangeCaps.series} days: its medians and rankings cannot be added up`,
      'Choose a shorter range.',
    );
  const path = options.html as string;
  const file = openOutputFile(path, { flag: '--html', what: 'the report', replaces: globals.yes });
  try {
    const campaign = options.campaign === undefined ? undefined : await names.record(campaignLookup, options.campaign as string);
    const agent = options.agent === undefined ? undefined : await names.record(agentLookup, options.agent as string);
    const scope = { ...(campaign && { campaign_id: campaign.id }), ...(agent && { agent_id: agent.id }) };
    const client = await targets.client();
    const dashboard = await client.call(getDashboard, { query: { startDate: days.from, endDate: days.to, ...scope } });
    const summary = await client.call(getSummary, { query: { ...days, ...scope } });
    const { reportPage } = await import('./page.ts');
    const account = await findAccount(client);
    const about = [
      ...(account ? [account.name] : []),
      `${days.from} to ${days.to}, in UTC`,
      ...[campaign, agent].flatMap((row) => (row ? [nameOf(row)] : [])),
    ];
    const page = await reportPage({
      title: 'Messaging report',
      about,
      figures: headFigures(dashboard, summary),
      charts: reportCharts(dashboard),
      latest: dashboard.data.activityFeed.map(({ at, label, campaignName }) => [timeText(at), label, campaignName ?? '']),
    });
    file.commit(page);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw new CliError(exitCodes.failed, 'file', `Cannot write the report to ${path}: ${error.message}`);
    throw error;
  } finally {
    file.close();
  }
  const record = { file: path, ...days };
  return { kind: 'record', answer: record, record };
}

/** An instant to the minute, such as `2027-03-01 09:30`. */
const timeText = (at: string) => at.slice(0, 16).replace('T', ' ');

const nameOf = ({ name, id }: Row) => String(name ?? id);

/** The figures at the top of the page. */
function headFigures({ data }: Answer<typeof getDashboard>, { totals }: Answer<typeof getSummary>): [string, string][] {
  const { medianFirstResponseMs: median, sampleSize } = data.inboxSla;
  const answers = sampleSize < responsesMax ? '' : ` of the latest ${digits(responsesMax)} conversations`;
  return [
    ['Sent', digits(totals.sent)],
    ['Delivered', digits(totals.delivered)],
    ['Read', digits(totals.read)],
    ['Replied', digits(totals.replied)],
    ['Booked', digits(totals.booked)],
    ['New contacts', digits(totals.contact_created)],
    ['Credits spent', digits(totals.credits_spent)],
    [`Median first answer${answers}`, median === null ? 'none' : duration(median)],
  ];
}

/** A duration in words: `4 s`, `12 min`, `3.5 h`. */
function duration(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return seconds < 3_600 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 360) / 10} h`;
}
