import { hasPostgres, PostgresServer } from '../support/postgres-server.ts';
import { Workplace } from '../support/processes.ts';
import { measureAnalytics } from './analytics.ts';
import { measureAccountAsCode } from './account-as-code.ts';
import { measureAnswers } from './answers.ts';
import { measureCrawling } from './crawling.ts';
import { measureAppointments } from './appointments.ts';
import { measureDeliveries } from './deliveries.ts';
import { measureDiskWaits } from './disk-waits.ts';
import { measureChatExports } from './chat-exports.ts';
import { measureExports } from './exports.ts';
import { measureWholeExports } from './whole-exports.ts';
import { measureFinding } from './finding.ts';
import { measureMessaging } from './messaging.ts';
import { measureOverview } from './overview.ts';
import { measureUsage } from './usage.ts';
import { measureReads } from './reads.ts';
import { measureRelays } from './relays.ts';
import { type Line, printLine, skippedLine } from './report.ts';
import { measureScaling } from './scaling.ts';
import { measureCalls } from './calls.ts';
import { measureGaps } from './gaps.ts';
import { measureSearch } from './search.ts';
import { measureStalls } from './stalls.ts';
import { measureVisitors } from './visitors.ts';
import { measureStartUp } from './start-up.ts';

// Measures the program against its budgets: as ratios to references that are measured alternately with it, or as counts. No
// test depends on timing; the benchmark only prints its results. `npm run bench -- scaling` runs a single measurement.

/** A measurement. The database is null if PostgreSQL is not installed. */
type Measurement = (workplace: Workplace, database: PostgresServer | null) => AsyncIterable<Line> | Promise<Line[]>;

const measurements: Readonly<Record<string, Measurement>> = {
  'start-up': measureStartUp,
  'disk-waits': measureDiskWaits,
  reads: measureReads,
  overview: measureOverview,
  usage: measureUsage,
  search: measureSearch,
  calls: measureCalls,
  gaps: measureGaps,
  relays: measureRelays,
  visitors: measureVisitors,
  deliveries: measureDeliveries,
  messaging: measureMessaging,
  answers: measureAnswers,
  finding: measureFinding,
  crawling: measureCrawling,
  appointments: measureAppointments,
  exports: measureExports,
  'whole-exports': measureWholeExports,
  'chat-exports': measureChatExports,
  analytics: measureAnalytics,
  'account-as-code': measureAccountAsCode,
  scaling: measureScaling,
  stalls: measureStalls,
};

const given = process.argv.slice(2);
const chosen = Object.entries(measurements).filter(([name]) => given.length === 0 || given.includes(name));
if (given.some((name) => !(name in measurements))) {
  process.stderr.write(`Usage: npm run bench -- [${Object.keys(measurements).join('|')}]...\n`);
  process.exit(2);
}

const database = hasPostgres ? await PostgresServer.start() : null;
try {
  if (!database) printLine(skippedLine('everything on PostgreSQL', 'PostgreSQL is not installed'));
  for (const [, measure] of chosen) {
    const workplace = new Workplace();
    try {
      for await (const line of await measure(workplace, database)) printLine(line);
    } finally {
      await workplace.remove();
    }
  }
} finally {
  await database?.remove();
}
