import { getLedger } from '../../../../contract/areas/analytics/endpoints.ts';
import { rangeCaps } from '../../../../contract/areas/analytics/names.ts';
import { counted } from '../../../../contract/text/counted.ts';
import type { Answer, Query } from '../../../../contract/endpoint.ts';
import { CliError, exitCodes } from '../../../errors.ts';
import type { Days } from '../../../verb/days.ts';
import { windowBefore, windowsOf, windowTo } from '../../../figures/ledger-windows.ts';
import { dayAfter } from '../../../figures/ranges.ts';
import { type Dataset, endOf, isSettled, type Newest, noneYet, type Reading, type ExportStep, withNewest } from './dataset.ts';
import { agreedWith, countOfFirst, countRecords, missingFrom, type RecordCount, settledBy, withRecords } from './record-count.ts';

/** How far the ledger has been exported. */
interface Exported extends Newest {
  /** Checkpoints of earlier versions lack both. */
  readonly count?: RecordCount;
  /** The day of the earliest record that was exported. */
  readonly earliest?: string;
}

/** The state from which a run continues. */
interface Resume {
  /** The range of days being read, and the cursor in it; null for its first page. */
  readonly days: Days;
  readonly cursor: string | null;
  /** Maximum number of requests left. */
  readonly requestsLeft: number;
  readonly newest: Newest;
  /** The day of the earliest record that this run has read; null if there is none yet. */
  readonly earliest?: string | null;
  /** Whether costs were hidden. */
  readonly isRedacted?: boolean;
  readonly counts?: { readonly exported: RecordCount; readonly found: RecordCount };
}

const pageSize = 100;

/** How long before the earliest record a run looks for records that were added since, in days. It costs one request. */
const daysBefore = rangeCaps.ledger;

/**
 * The credit ledger. Each run exports the records since the previous run, newest first. It first counts what the ledger has, and then
 * compares that with what was exported.
 */
export const credits: Dataset = {
  columns: () => [
    'id',
    'at',
    'reason',
    'credits',
    'cost_usd',
    'campaign_id',
    'agent_id',
    'message_id',
    'is_adjustment',
    'transfer_account_id',
  ],
  isReplaced: false,
  begins: (position) => (position?.at && position.earliest !== undefined ? null : 'earliest'),
  read: readLedger,
};

async function* readLedger(reading: Reading): AsyncGenerator<ExportStep> {
  const { client, since, today, position, resume } = reading;
  const last = (position ?? noneYet) as unknown as Exported;
  const known = new Set(last.ids);
  const first = last.at === null ? (since ?? today) : dayAfter(last.at.slice(0, 10), -1);
  let place = (resume as Resume | undefined) ?? (await begin(reading, last, first));
  for (;;) {
    const { days, cursor, newest, counts } = place;
    const query: Partial<Query<typeof getLedger>> = { ...days, limit: pageSize, ...(cursor === null ? {} : { cursor }) };
    const { records, next_cursor: next, costs_redacted: isRedacted }: Answer<typeof getLedger> = await client.call(getLedger, { query });
    const rows = records.filter(({ id, at }) => !known.has(id) && !isSettled(at, last.at) && (since === null || at >= since));
    const before = next === null ? windowBefore(days, first) : days;
    const isLast = before === null || records.some(({ at }) => isSettled(at, last.at));
    place = {
      days: before ?? days,
      cursor: next,
      requestsLeft: Math.max(0, place.requestsLeft - 1),
      newest: withNewest(newest, records),
      earliest: rows.at(-1)?.at.slice(0, 10) ?? place.earliest ?? null,
      isRedacted: place.isRedacted === true || (isRedacted && rows.length > 0),
      ...(counts && { counts: { ...counts, exported: withRecords(counts.exported, rows) } }),
    };
    const end = isLast ? verified(place, last, first, reading) : { done: null };
    yield { rows, resume: { ...place }, requestsLeft: place.requestsLeft, ...end };
    if (isLast) return;
  }
}

/** The state in which a run begins. The records are counted before the first page is read: it then has all that are counted. */
async function begin({ client, since, today }: Reading, { at, count, earliest }: Exported, first: string): Promise<Resume> {
  const from = since ?? (earliest === undefined ? first : dayAfter(earliest, -daysBefore));
  const found = await countRecords(client, { from, to: today });
  // Without a count, what earlier runs exported of the last days is unknown: they are compared once they are settled.
  const none = at === null ? { settled: found.settled, until: 0, later: {} } : { settled: today, until: null, later: {} };
  const exported = settledBy(count ?? none, found.settled);
  // Each part of the range has a last page, which is not full.
  const fullPages = Math.ceil(missingFrom({ ...exported, settled: found.settled }, found) / pageSize);
  const requestsLeft = fullPages + windowsOf({ from: first, to: today }).length;
  return { days: windowTo(today, first), cursor: null, requestsLeft, newest: noneYet, counts: { exported, found } };
}

/** The end of a run whose counts agree, or that goes on without the records that are missing. @throws CliError 6 otherwise */
function verified({ counts, newest, earliest, isRedacted = false }: Resume, last: Exported, first: string, reading: Reading): LastStep {
  // Before the first run, nothing can be missing.
  const missing = counts && last.at !== null ? missingFrom(counts.exported, counts.found) : 0;
  const message = `No run has exported ${counted(missing, 'record')} of the ledger`;
  if (missing > 0 && !reading.acceptsMissing)
    throw new CliError(exitCodes.conflict, 'records_missing', message, {
      hint:
        'Records were added later with earlier dates, as `sandbox demo` does, or deleted before they were exported. ' +
        'Export everything again with a new checkpoint and a new file, or add --accept-missing to continue without them.',
    });
  const count = counts && (last.at === null ? countOfFirst(counts) : agreedWith(counts.exported, counts.found));
  return {
    done: {
      ...endOf(last, newest),
      ...(count && { count }),
      earliest: (last.at === null ? earliest : (last.earliest ?? reading.since)) ?? first,
    },
    caveats: { missing_records: missing, costs_redacted: isRedacted },
    warnings: [
      ...(missing > 0 ? [`${message}.`] : []),
      ...(isRedacted ? ['Costs in US dollars are exported as 0: they are hidden on this account.'] : []),
    ],
  };
}

type LastStep = Pick<ExportStep, 'done' | 'caveats' | 'warnings'>;
