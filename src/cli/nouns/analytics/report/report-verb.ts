import { describeWriteError } from '../../../../contract/file-errors.ts';
import { InterfaceError } from '../../../../client/errors.ts';
import { utcDate } from '../../../../contract/time/days.ts';
import { getDashboard } from '../../../../contract/areas/analytics/dashboard.ts';
import { getSummary } from '../../../../contract/areas/analytics/endpoints.ts';
import { rangeCaps, responsesMax } from '../../../../contract/areas/analytics/names.ts';
import type { Answer } from '../../../../contract/endpoint.ts';
import type { Options, Session, Verb } from '../../../verb/noun.ts';
import { invalidValueError } from '../../../invalid-value.ts';
import type { Lookup } from '../../../verb/lookup.ts';
import { openOutputFile } from '../../../verb/output-file.ts';
import { CliError, exitCodes, usageError } from '../../../errors.ts';
import { agentLookup } from '../../../lookups/agents.ts';
import { campaignLookup } from '../../../lookups/campaigns.ts';
import { digits } from '../../../../contract/text/counted.ts';
import type { Result } from '../../../output/result.ts';
import { findAccount } from '../../../figures/first-days.ts';
import { dayForms, daysInForce, type Days } from '../../../verb/days.ts';
import { reportCharts, timeText } from '../charts.ts';
import { lengthOf } from '../../../figures/ranges.ts';

export const reportVerb: Verb = {
  name: 'report',
  summary: 'Write the dashboard as one self-contained web page with charts',
  examples: [['msgctl analytics report --from last-month --html report.html', 'a page that you can send or print']],
  scope: 'one account',
  options: [
    { flags: '--html <file>', summary: 'the HTML file to write', completes: 'file', isRequired: true },
    { flags: '--from <day>', summary: `the first day, or all days: ${dayForms} (default: 30d)` },
    { flags: '--to <day>', summary: 'the last day (default: the end of the range that --from names, or today)' },
    { flags: '--campaign <campaign>', summary: 'only figures of this campaign', completes: campaignLookup },
    { flags: '--agent <agent>', summary: 'only figures of this agent', completes: agentLookup },
  ],
  shown: { columns: ['file', 'from', 'to'] },
  run: writeReport,
};

async function writeReport(session: Session, _values: readonly string[], options: Options): Promise<Result> {
  const { targets, globals } = session;
  const days = await daysInForce(options, session);
  if (days.from > days.to) throw invalidValueError('--from', days.from, `must not be after ${days.to}`);
  if (lengthOf(days) > rangeCaps.series)
    throw usageError(
      `A report covers at most ${rangeCaps.series} days, because its medians and rankings cannot be added up`,
      'Choose a shorter range.',
    );
  const path = options.html as string;
  const file = openOutputFile(path, { flag: '--html', what: 'the report', replaces: globals.yes });
  try {
    const campaign = await findScope(session, campaignLookup, options.campaign);
    const agent = await findScope(session, agentLookup, options.agent);
    const scope = { ...(campaign && { campaign_id: campaign.id }), ...(agent && { agent_id: agent.id }) };
    const client = await targets.client();
    const dashboard = await client.call(getDashboard, { query: { startDate: days.from, endDate: days.to, ...scope } });
    const summary = await client.call(getSummary, { query: { ...days, ...scope } });
    const { reportPage } = await import('./page.ts');
    const account = await findAccount(client);
    const about = [
      ...(account ? [account.name] : []),
      `${days.from} to ${days.to}${isOver(days, await session.serviceTime()) ? '' : ' (so far)'}, in UTC`,
      ...[campaign, agent].flatMap((found) => found?.name ?? []),
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
      throw new CliError(exitCodes.failed, 'file', `Cannot write the report to ${path}: ${describeWriteError(error)}`);
    throw error;
  } finally {
    file.close();
  }
  const record = { file: path, ...days };
  return { kind: 'record', answer: record, record };
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * The campaign or the agent of the figures. A key that may not read names needs the id, which then stands for the name.
 * @throws CliError 2 if the name matches several records, 5 if it matches none
 */
async function findScope({ names }: Session, lookup: Lookup, given: unknown): Promise<Named | undefined> {
  if (given === undefined) return undefined;
  const id = await names.id(lookup, given as string);
  try {
    const { name } = (await names.record(lookup, id)) as { name?: string | null };
    return { id, name: name ?? id };
  } catch (error) {
    if (error instanceof InterfaceError && error.status === 403) return { id, name: id };
    throw error;
  }
}

/** Whether all days are over. @param now by the service's clock */
const isOver = ({ to }: Days, now: number) => to < utcDate(now);

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
    ...(data.contactsByCountry ? [['New contacts', digits(totals.contact_created)] as [string, string]] : []),
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
