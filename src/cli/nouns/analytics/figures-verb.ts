import type { Granularity } from '../../../contract/areas/analytics/names.ts';
import type { Options, OptionSpec, Session, Verb } from '../../verb/noun.ts';
import { usageError } from '../../errors.ts';
import { type GlobalOptions, selectsFromAnswer } from '../../global-options.ts';
import { counted, digits } from '../../../contract/text/counted.ts';
import { checkFields } from '../../output/fields.ts';
import { type Result, type ResultRow, wholeList } from '../../output/result.ts';
import { screenOf } from '../../output/screen.ts';
import type { Chart } from './charts.ts';
import { comparedColumns, comparedRows, type Period } from './compared.ts';
import { type Days, daysInForce, isCounted } from '../../verb/days.ts';
import type { LongForm } from './pivot.ts';
import { selectsNames } from './names.ts';
import { dayAfter, lengthOf, partsOf, periodBefore } from '../../figures/ranges.ts';
import { nameColumns, other, type Totals } from './rows.ts';

/** How to compare the figures of two responses. */
interface ComparedTotals<Whole> {
  /** The fields that say what a figure is about. */
  readonly about: (answer: Whole, options: Options) => readonly string[];
  readonly of: (answer: Whole, options: Options) => readonly Totals[];
  /** The sum of what was left out. */
  readonly rest?: (answer: Whole) => Totals;
  /** Whether nothing was left out of a response; by default, always true. Joined responses are complete. */
  readonly isComplete?: (answer: Whole) => boolean;
  /** How many to compare; by default, all. */
  readonly most?: (options: Options) => number;
}

/** How a verb shows a response with figures for a range of days. */
interface Figures<Whole> {
  /** Maximum number of days per request. */
  readonly most: number;
  /** Whether the API requires both days. */
  readonly needsDays?: boolean;
  /** Joins the responses for parts of a longer range. Without it, only the last days of the range are read, as the API does. */
  readonly join?: (parts: readonly Whole[], options: Options) => Whole;
  /** The options for requests that are joined or compared, which need more data than is shown. */
  readonly ofParts?: (options: Options) => Options;
  /** The rows to show in tables, CSV and NDJSON. */
  readonly rows?: {
    readonly field: string;
    /** All columns that rows can have, for `--fields`. */
    readonly known: readonly string[];
    readonly of: (answer: Whole, options: Options) => readonly ResultRow[];
    readonly columns: (answer: Whole, options: Options) => readonly string[];
    /** The rows on a terminal, if they differ: other formats and `--fields` have the ones above. */
    readonly onTerminal?: Pick<NonNullable<Figures<Whole>['rows']>, 'of' | 'columns'>;
  };
  /** Replaces ids by names, for tables. */
  readonly named?: (answer: Whole, session: Session) => Promise<Whole>;
  /** Adds names beside ids, for the other formats. */
  readonly withNames?: (answer: Whole, session: Session) => Promise<Whole>;
  /** The rows that `--pivot` turns into columns. */
  readonly longForm?: (answer: Whole) => LongForm;
  /** The figures that `--compare` compares. */
  readonly totals?: ComparedTotals<Whole>;
  /** Whether a terminal shows charts even without `--chart`, because the response does not fit into a table. */
  readonly isDrawn?: boolean;
  /** Gives the charts of two periods the same contents. */
  readonly align?: (current: Whole, previous: Whole, options: Options) => readonly [Whole, Whole];
  /** The charts that `--chart` draws. */
  readonly charts?: (answer: Whole) => readonly Chart[];
  /** The figures of the whole range, for a note beside tables. */
  readonly inAll?: (answer: Whole) => Readonly<Record<string, number>>;
  /** The note on a row that adds up what did not fit. */
  readonly foldedNote?: string;
  /** What a reader of the figures must know, for a note on stderr. */
  readonly note?: (answer: Whole, isJoined: boolean) => string | undefined;
}

const chartOption: OptionSpec = { flags: '--chart', summary: 'draw the figures as charts' };

const pivotOption: OptionSpec = { flags: '--pivot', summary: 'show a column for each series' };

const compareOption: OptionSpec = {
  flags: '--compare <period>',
  summary: 'compare with as many days or months before',
  choices: ['previous'],
};

/** Whether to show rows: in tables, CSV and NDJSON, or if `--fields` is used. JSON, YAML and expressions use the response. */
function showsRows(globals: GlobalOptions): boolean {
  return !selectsFromAnswer(globals) && (globals.fields !== undefined || (globals.output !== 'json' && globals.output !== 'yaml'));
}

/**
 * Adapts a verb that calls an analytics endpoint. It supports readable ranges of days, splits long ranges into several
 * requests, and shows figures as rows, compared with the previous period, or as charts.
 */
export function figuresVerb<Whole>(verb: Verb, figures: Figures<Whole>): Verb {
  const { rows, named, withNames, longForm, totals, charts } = figures;
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
    // Each account has its own series and scales.
    optionsForOneAccount: ['chart', 'pivot'],
    ...(rows && { shown: { columns: known, hasOwnColumns: true }, showsAnswer: false }),
    run: async (session, values, given) => {
      checkForm(given, session);
      const compares = given.compare !== undefined;
      const options = compares && figures.ofParts && showsRows(session.globals) ? figures.ofParts(given) : given;
      const read = async (days: Days | undefined) => await readWhole(verb, figures, session, values, options, days);
      const isWithoutDays = given.from === undefined && given.to === undefined;
      const wanted = isWithoutDays && !figures.needsDays && !compares ? undefined : await daysInForce(given, session);
      const days = wanted && !figures.join ? clamped(wanted, figures.most, session) : wanted;
      const { result, answer, isJoined } = await read(days);
      const note = figures.note?.(answer, isJoined);
      if (note !== undefined) session.notes.say(note);
      const earlier = compares && days ? periodBefore(days, isCounted(given.from as string | undefined)) : undefined;
      const previous = earlier && (await read(earlier)).answer;
      if (!showsRows(session.globals)) return previous === undefined ? result : withPrevious(result, answer, previous);
      const isForPeople = session.globals.output === 'table';
      if (earlier && days && isForPeople) session.notes.say(`${days.from} to ${days.to}, compared with ${earlier.from} to ${earlier.to}.`);
      // Where --fields selects names, they stand beside the ids in tables too. The columns of a pivot have no room for them.
      const besideIds = given.pivot ? undefined : withNames;
      const naming = isForPeople && !selectsNames(session.globals) ? named : besideIds;
      const toNamed = async (whole: Whole) => (naming ? await naming(whole, session) : whole);
      const shown = await toNamed(answer);
      const before = previous === undefined ? undefined : await toNamed(previous);
      const draws =
        given.chart === true ||
        (figures.isDrawn === true && isForPeople && session.world.stdout.isTTY === true && !session.globals.fields && !session.accounts);
      if (draws && charts) {
        const periods = before === undefined ? [shown] : (figures.align?.(shown, before, given) ?? [shown, before]);
        return await chartsResult(periods.map(charts), session);
      }
      const compared = before !== undefined && totals ? comparedTable(totals, shown, before, isJoined, given) : undefined;
      const isOnTerminal = isForPeople && session.world.stdout.isTTY === true && !session.globals.fields;
      const shape = rows && isOnTerminal ? { ...rows, ...rows.onTerminal } : rows;
      const table = compared ?? (shape && rowsTable(shape, shown, given));
      if (!table) return result;
      if (figures.foldedNote !== undefined && isFolded(table)) session.notes.say(figures.foldedNote);
      if (figures.inAll && isForPeople && !compared) session.notes.say(inAllText(figures.inAll(answer)));
      if (given.pivot && longForm) return await pivotedResult(longForm(shown));
      if (session.globals.fields && session.globals.fields !== 'all') checkFields(session.globals.fields, table.columns);
      return { ...wholeList(table.field, table.rows), columns: table.columns };
    },
  };
}

/** The figures of a range in one line. Those that are 0 are left out. */
export function inAllText(figures: Readonly<Record<string, number>>): string {
  const parts = Object.entries(figures).flatMap(([name, figure]) => (figure === 0 ? [] : `${name.replaceAll('_', ' ')} ${digits(figure)}`));
  return `Total: ${parts.length === 0 ? 'nothing' : parts.join(', ')}.`;
}

/** Rows with the same columns in all formats. */
interface Table {
  /** The field that contains the rows in JSON. */
  readonly field: string;
  readonly columns: readonly string[];
  readonly rows: readonly ResultRow[];
}

function rowsTable<Whole>({ field, of, columns: columnsOf }: NonNullable<Figures<Whole>['rows']>, answer: Whole, options: Options): Table {
  const columns = columnsOf(answer, options);
  const rows = of(answer, options).map((row) => Object.fromEntries(columns.map((column) => [column, row[column] ?? null])));
  return { field, columns, rows };
}

function comparedTable<Whole>(
  { about, of, rest, isComplete = () => true, most }: ComparedTotals<Whole>,
  current: Whole,
  previous: Whole,
  isJoined: boolean,
  options: Options,
): Table {
  const [now, before] = [current, previous].map((answer) => {
    return { totals: of(answer, options), rest: rest?.(answer) ?? null, isComplete: isJoined || isComplete(answer) };
  }) as [Period, Period];
  return { field: 'figures', columns: comparedColumns(about(current, options)), rows: comparedRows(now, before, most?.(options)) };
}

/** Whether a row adds up what did not fit. */
function isFolded({ rows }: Table): boolean {
  return rows.some((row) => Object.entries(row).some(([column, value]) => value === other && !nameColumns.includes(column)));
}

async function pivotedResult(form: LongForm): Promise<Result> {
  const { pivot } = await import('./pivot.ts');
  const { rows, columns, headings } = pivot(form);
  return { ...wholeList('rows', rows), columns, headings };
}

/** @throws CliError 2 if options exclude each other or are not supported by the format */
function checkForm({ chart, pivot, compare }: Options, { globals }: Session): void {
  if (pivot && (chart ?? compare)) throw usageError(`--pivot cannot be used with ${chart ? '--chart' : '--compare'}`);
  if (pivot && globals.fields && globals.fields !== 'all')
    throw usageError('--pivot cannot be used with --fields: its columns are the series', 'Omit --fields.');
  if (pivot && !showsRows(globals)) throw usageError('--pivot works with rows only', 'Use it with a table, or with -o csv, tsv or ndjson.');
  if (!chart) return;
  if (globals.output !== 'table' || selectsFromAnswer(globals) || globals.fields)
    throw usageError('--chart works only with a table', 'Omit --chart to get the figures in another format.');
}

/**
 * The last days of a range that is too long for figures that cannot be added up: the API moves its first day too. Scripts are told
 * in their output format.
 */
function clamped(days: Days, most: number, { globals, notes }: Session): Days {
  const length = lengthOf(days);
  if (length <= most) return days;
  const last = { from: dayAfter(days.to, 1 - most), to: days.to };
  const message = `The range has ${counted(length, 'day')}; the limit is ${most}. The figures are for ${last.from} to ${last.to}.`;
  if (globals.output === 'json' && !globals.quiet) notes.event({ event: 'clamped', message, ...last });
  else notes.say(message);
  return last;
}

/** Number of requests from which a note shows the number in advance. */
const manyParts = 12;

interface Answered<Whole> {
  readonly result: Extract<Result, { kind: 'record' }>;
  readonly answer: Whole;
  /** Whether it was joined from several responses. */
  readonly isJoined: boolean;
}

/**
 * The response for a range of days, joined from several requests if the range is too long for one. Without a range, the API's
 * default days.
 */
async function readWhole<Whole>(
  verb: Verb,
  { most, join, ofParts = (options) => options }: Figures<Whole>,
  session: Session,
  values: readonly string[],
  options: Options,
  days: Days | undefined,
): Promise<Answered<Whole>> {
  const parts = days ? partsOf(days, most, options.granularity as Granularity) : [];
  if (parts.length < 2) return answered(await verb.run(session, values, { ...options, ...days }));
  if (!join || !days) throw new Error('Without a join, the range is clamped');
  if (parts.length > manyParts) session.notes.say(`Reading these days takes ${parts.length} requests.`);
  const answers: Answered<Whole>[] = [];
  for (const part of parts) answers.push(answered(await verb.run(session, values, { ...ofParts(options), ...part })));
  const answer = join(
    answers.map((each) => each.answer),
    options,
  );
  return {
    result: { ...(answers[0] as Answered<Whole>).result, answer: answer as ResultRow, record: answer as ResultRow },
    answer,
    isJoined: true,
  };
}

function answered<Whole>(result: Result): Answered<Whole> {
  if (result.kind !== 'record') throw new Error('Figures are a record');
  return { result, answer: result.answer as Whole, isJoined: false };
}

/** Adds the response for the previous period as `previous`. */
function withPrevious<Whole>(result: Extract<Result, { kind: 'record' }>, answer: Whole, previous: Whole): Result {
  const both = { ...(answer as ResultRow), previous };
  return { ...result, answer: both, record: both };
}

/** Charts as text, each followed by the same chart of the previous period. */
async function chartsResult(periods: readonly (readonly Chart[])[], session: Session): Promise<Result> {
  const { world } = session;
  const [{ drawCharts }, { paired }] = await Promise.all([import('./drawing.ts'), import('./charts.ts')]);
  const [current = [], previous] = periods;
  const text = await drawCharts(paired(current, previous), screenOf(world.stdout, world, false, session.serviceTime));
  return { kind: 'record', answer: {}, record: {}, text };
}
