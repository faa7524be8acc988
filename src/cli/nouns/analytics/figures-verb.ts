import type { Granularity } from '../../../contract/areas/analytics/names.ts';
import type { Options, OptionSpec, Session, Verb } from '../../command/noun.ts';
import { presentTime } from '../../command/present-time.ts';
import { usageError } from '../../errors.ts';
import { type GlobalOptions, selectsFromAnswer } from '../../global-options.ts';
import { counted } from '../../../contract/counted.ts';
import { type Result, type Row, wholeList } from '../../output/result.ts';
import { screenOf } from '../../output/screen.ts';
import type { Chart } from './charts.ts';
import { comparedColumns, comparedRows, type Period, type Totals } from './compared.ts';
import { type Days, daysOf, withDefaultDays } from './days.ts';
import type { LongForm } from './pivot.ts';
import { lengthOf, partsOf, periodBefore } from './ranges.ts';

/** The figures of an answer that are compared. */
interface ComparedTotals<Whole> {
  /** The fields that say what a figure is about. */
  readonly about: (answer: Whole) => readonly string[];
  readonly of: (answer: Whole) => readonly Totals[];
  /** Whether nothing was left out; always by default. */
  readonly isComplete?: (answer: Whole) => boolean;
}

/** What a verb makes of an answer with figures of some days. */
interface Figures<Whole> {
  /** The most days that a request takes. */
  readonly most: number;
  /** Whether the interface needs both days. */
  readonly needsDays?: boolean;
  /** Joins the answers for the parts of a longer range; without it, `whyNotJoined` says why they cannot be joined. */
  readonly join?: (parts: readonly Whole[], options: Options) => Whole;
  readonly whyNotJoined?: string;
  /** The options of requests for parts and for periods to compare, which need more than the whole shows. */
  readonly ofParts?: (options: Options) => Options;
  /** What of the answer is shown as rows, in tables, CSV and NDJSON. */
  readonly rows?: {
    readonly field: string;
    /** Every column that rows can have, for `--fields`. */
    readonly known: readonly string[];
    readonly of: (answer: Whole) => readonly Row[];
    readonly columns: (answer: Whole) => readonly string[];
  };
  /** Replaces ids by names, for people. */
  readonly named?: (answer: Whole, session: Session) => Promise<Whole>;
  /** What `--pivot` turns into columns. */
  readonly longForm?: (answer: Whole) => LongForm;
  /** What `--compare` sets side by side. */
  readonly totals?: ComparedTotals<Whole>;
  /** Whether a terminal shows the charts without `--chart` too, because no table could show the answer. */
  readonly isDrawn?: boolean;
  /** What `--chart` draws. */
  readonly charts?: (answer: Whole) => readonly Chart[];
}

const chartOption: OptionSpec = { flags: '--chart', summary: 'draw the figures as charts' };

const pivotOption: OptionSpec = { flags: '--pivot', summary: 'show a column for each series' };

const compareOption: OptionSpec = {
  flags: '--compare <period>',
  summary: 'compare with the same number of days or months before',
  choices: ['previous'],
};

/** Whether rows are shown: as a table, CSV or NDJSON, or where fields of them are chosen. JSON and YAML have the answer, as expressions do. */
function showsRows(globals: GlobalOptions): boolean {
  return !selectsFromAnswer(globals) && (globals.fields !== undefined || (globals.output !== 'json' && globals.output !== 'yaml'));
}

/**
 * Makes a verb that calls an endpoint of analytics take days as people write them, join several requests where the days need
 * them, and show figures as rows, beside those of the period before, or as charts.
 */
export function figuresVerb<Whole>(verb: Verb, figures: Figures<Whole>): Verb {
  const { rows, named, longForm, totals, charts } = figures;
  const ownOptions = [
    ...(verb.options ?? []),
    ...(charts ? [chartOption] : []),
    ...(longForm ? [pivotOption] : []),
    ...(totals ? [compareOption] : []),
  ];
  const known = [...(rows?.known ?? []), ...(rows && totals ? comparedColumns([]) : [])];
  return {
    ...verb,
    options: ownOptions,
    // Each account has series and scales of its own.
    isForOneAccount: ['chart', 'pivot'],
    ...(rows && { shown: { columns: known, hasOwnColumns: true }, showsAnswer: false }),
    run: async (session, values, given) => {
      checkForm(given, session);
      const options = given.compare === undefined || !figures.ofParts ? given : figures.ofParts(given);
      const read = async (days: Days | undefined) => await readWhole(verb, figures, session, values, options, days);
      const compares = given.compare !== undefined;
      const now = await presentTime(session);
      const asked = daysOf(given, now);
      const isWithoutDays = asked.from === undefined && asked.to === undefined;
      const days = isWithoutDays && !figures.needsDays && !compares ? undefined : withDefaultDays(asked, now);
      const { result, answer } = await read(days);
      const earlier = compares && days ? periodBefore(days) : undefined;
      const previous = earlier && (await read(earlier)).answer;
      if (!showsRows(session.globals)) return previous === undefined ? result : withPrevious(result, answer, previous);
      const isForPeople = session.globals.output === 'table';
      if (earlier && days && isForPeople) session.notes.say(`${days.from} to ${days.to}, beside ${earlier.from} to ${earlier.to}.`);
      const toName = named && isForPeople ? async (whole: Whole) => await named(whole, session) : (whole: Whole) => whole;
      const shown = await toName(answer);
      const before = previous === undefined ? undefined : await toName(previous);
      const draws =
        given.chart === true || (figures.isDrawn === true && isForPeople && session.world.stdout.isTTY === true && !session.globals.fields);
      if (draws && charts) return await chartsResult([shown, ...(before === undefined ? [] : [before])].map(charts), session);
      if (before !== undefined && totals) return comparedResult(totals, shown, before);
      if (given.pivot && longForm) return await pivotedResult(longForm(shown));
      return rows ? rowsResult(rows, shown) : result;
    },
  };
}

/** Rows with the same columns in every format. */
function rowsResult<Whole>({ field, of, columns: columnsOf }: NonNullable<Figures<Whole>['rows']>, answer: Whole): Result {
  const columns = columnsOf(answer);
  const rows = of(answer).map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])));
  return { ...wholeList(field, rows), columns };
}

function comparedResult<Whole>({ about, of, isComplete = () => true }: ComparedTotals<Whole>, current: Whole, previous: Whole): Result {
  const [now, before] = [current, previous].map((answer) => ({ totals: of(answer), isComplete: isComplete(answer) })) as [Period, Period];
  return { ...wholeList('figures', comparedRows(now, before)), columns: comparedColumns(about(current)) };
}

async function pivotedResult(form: LongForm): Promise<Result> {
  const { pivot } = await import('./pivot.ts');
  const { rows, columns, headings } = pivot(form);
  return { ...wholeList('rows', rows), columns, headings };
}

/** @throws CliError 2 when options ask for two forms, or for one that the format cannot have */
function checkForm({ chart, pivot, compare }: Options, { globals }: Session): void {
  if (pivot && (chart ?? compare)) throw usageError(`--pivot cannot be used with ${chart ? '--chart' : '--compare'}`);
  if (pivot && !showsRows(globals)) throw usageError('--pivot works with rows only', 'Use it with a table, or with -o csv, tsv or ndjson.');
  if (!chart) return;
  if (globals.output !== 'table' || selectsFromAnswer(globals) || globals.fields)
    throw usageError('--chart works only with a table', 'Omit it to get the figures in another format.');
}

/** From how many requests on their number is said beforehand. */
const manyParts = 12;

interface Answered<Whole> {
  readonly result: Extract<Result, { kind: 'record' }>;
  readonly answer: Whole;
}

/** The answer for some days, joined from several requests where they are more than one takes; for the default days without any. */
async function readWhole<Whole>(
  verb: Verb,
  { most, join, whyNotJoined, ofParts = (options) => options }: Figures<Whole>,
  session: Session,
  values: readonly string[],
  options: Options,
  days: Days | undefined,
): Promise<Answered<Whole>> {
  const parts = days ? partsOf(days, most, options.granularity as Granularity) : [];
  if (parts.length < 2) return answered(await verb.run(session, values, { ...options, ...days }));
  if (!join || !days)
    throw usageError(
      `${counted(days ? lengthOf(days) : 0, 'day')} are too many: at most ${most}. ${whyNotJoined ?? ''}`,
      'Choose a shorter range.',
    );
  if (parts.length > manyParts) session.notes.say(`These days take ${parts.length} requests.`);
  const answers: Answered<Whole>[] = [];
  for (const part of parts) answers.push(answered(await verb.run(session, values, { ...ofParts(options), ...part })));
  const answer = join(
    answers.map((each) => each.answer),
    options,
  );
  return { result: { ...(answers[0] as Answered<Whole>).result, answer: answer as Row, record: answer as Row }, answer };
}

function answered<Whole>(result: Result): Answered<Whole> {
  if (result.kind !== 'record') throw new Error('Figures are a record');
  return { result, answer: result.answer as Whole };
}

/** The answer with that of the period before it in `previous`. */
function withPrevious<Whole>(result: Extract<Result, { kind: 'record' }>, answer: Whole, previous: Whole): Result {
  const both = { ...(answer as Row), previous };
  return { ...result, answer: both, record: both };
}

/** Charts as text for people, each followed by that of the period before. */
async function chartsResult(periods: readonly (readonly Chart[])[], { world }: Session): Promise<Result> {
  const [{ drawCharts }, { paired }] = await Promise.all([import('./drawing.ts'), import('./charts.ts')]);
  const [current = [], previous] = periods;
  const text = await drawCharts(previous ? paired(current, previous) : current, screenOf(world.stdout, world));
  return { kind: 'record', answer: {}, record: {}, text };
}
