import type { Granularity } from '../../../contract/areas/analytics/names.ts';
import type { Options, OptionSpec, Session, Verb } from '../../command/noun.ts';
import { usageError } from '../../errors.ts';
import { type GlobalOptions, selectsFromAnswer } from '../../global-options.ts';
import { counted } from '../../output/counted.ts';
import { type Result, type Row, wholeList } from '../../output/result.ts';
import { screenOf } from '../../output/screen.ts';
import type { Chart } from './charts.ts';
import { comparedColumns, comparedRows, type Totals } from './compared.ts';
import { type Days, daysOf, withUsualDays } from './days.ts';
import type { LongForm } from './pivot.ts';
import { lengthOf, partsOf, periodBefore } from './ranges.ts';

/** What a verb makes of an answer with figures of some days. */
interface Figures<Whole> {
  /** The most days that a request takes. */
  readonly most: number;
  /** Whether the interface needs both days. */
  readonly needsDays?: boolean;
  /** Joins the answers for the parts of a longer range; without it, `whole` says why they cannot be joined. */
  readonly join?: (parts: readonly Whole[], options: Options) => Whole;
  readonly whole?: string;
  /** The options of the requests for the parts, when the whole needs more than its parts would show. */
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
  /** What `--compare` sets side by side, and the fields that say what a row is about. */
  readonly totals?: { readonly about: (answer: Whole) => readonly string[]; readonly of: (answer: Whole) => readonly Totals[] };
  /** What `--chart` draws. */
  readonly charts?: (answer: Whole) => readonly Chart[];
}

const chartOption: OptionSpec = { flags: '--chart', summary: 'draw the figures as charts' };

const pivotOption: OptionSpec = { flags: '--pivot', summary: 'show a column for each series' };

const compareOption: OptionSpec = {
  flags: '--compare <period>',
  summary: 'set the same number of days or months before beside them: previous',
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
  const options = [
    ...(verb.options ?? []),
    ...(charts ? [chartOption] : []),
    ...(longForm ? [pivotOption] : []),
    ...(totals ? [compareOption] : []),
  ];
  const known = [...(rows?.known ?? []), ...(rows && totals ? comparedColumns([]) : [])];
  return {
    ...verb,
    options,
    ...(rows && { shown: { columns: known, hasOwnColumns: true }, showsAnswer: false }),
    run: async (session, values, given) => {
      checkForm(given, session);
      const read = async (days: Partial<Days>) => await readWhole(verb, figures, session, values, given, days);
      const now = session.world.now();
      const asked = daysOf(given, now);
      const days = figures.needsDays || given.compare !== undefined ? withUsualDays(asked, now) : asked;
      const { result, answer } = await read(days);
      const previous = given.compare === undefined ? undefined : (await read(periodBefore(days as Days))).answer;
      if (!showsRows(session.globals)) return previous === undefined ? result : withPrevious(result, answer, previous);
      const isForPeople = session.globals.output === 'table' || given.chart === true;
      const toName = named && isForPeople ? async (whole: Whole) => await named(whole, session) : (whole: Whole) => whole;
      const shown = await toName(answer);
      const before = previous === undefined ? undefined : await toName(previous);
      if (given.chart && charts) return await chartsResult([shown, ...(before === undefined ? [] : [before])].map(charts), session);
      if (before !== undefined && totals) {
        const compared = comparedRows(totals.of(shown), totals.of(before));
        return { ...wholeList('figures', compared), columns: comparedColumns(totals.about(shown)) };
      }
      if (given.pivot && longForm) {
        const { pivot } = await import('./pivot.ts');
        const { rows: pivoted, columns } = pivot(longForm(shown));
        return { ...wholeList('rows', pivoted), columns };
      }
      return rows ? { ...wholeList(rows.field, rows.of(shown)), columns: rows.columns(shown) } : result;
    },
  };
}

/** @throws CliError 2 when options ask for two forms, or for one that the format cannot have */
function checkForm({ chart, pivot, compare }: Options, { globals, accounts }: Session): void {
  if (pivot && (chart ?? compare)) throw usageError(`--pivot cannot be used with ${chart ? '--chart' : '--compare'}`);
  if (pivot && !showsRows(globals)) throw usageError('--pivot shapes rows', 'Use it with a table, or with -o csv, tsv or ndjson.');
  if (pivot && accounts) throw usageError('--pivot shows the series of one account', 'Name one with --sub-account, or leave out --pivot.');
  if (!chart) return;
  if (globals.output !== 'table' || selectsFromAnswer(globals) || globals.fields)
    throw usageError('--chart draws for people', 'Leave it out to get the figures in another form.');
  if (accounts) throw usageError('--chart draws the figures of one account', 'Name one with --sub-account.');
}

interface Answered<Whole> {
  readonly result: Result;
  readonly answer: Whole;
}

/** The answer for some days, joined from several requests where they are more than one takes. */
async function readWhole<Whole>(
  verb: Verb,
  { most, join, whole, ofParts = (options) => options }: Figures<Whole>,
  session: Session,
  values: readonly string[],
  options: Options,
  days: Partial<Days>,
): Promise<Answered<Whole>> {
  const parts =
    days.from === undefined ? [days] : partsOf(withUsualDays(days, session.world.now()), most, options.granularity as Granularity);
  if (parts.length === 1) {
    const result = await verb.run(session, values, { ...options, ...days });
    return { result, answer: (result.kind === 'record' ? result.answer : {}) as Whole };
  }
  if (!join) {
    const length = lengthOf(withUsualDays(days, session.world.now()));
    throw usageError(`${counted(length, 'day')} are too many: at most ${most}. ${whole ?? ''}`, 'Choose a shorter range.');
  }
  const answers: Whole[] = [];
  let result: Result | undefined;
  for (const part of parts) {
    result = await verb.run(session, values, { ...ofParts(options), ...part });
    answers.push((result.kind === 'record' ? result.answer : {}) as Whole);
  }
  const answer = join(answers, options);
  return { result: { ...(result as Extract<Result, { kind: 'record' }>), answer: answer as Row, record: answer as Row }, answer };
}

/** The answer with that of the period before it in `previous`. */
function withPrevious<Whole>(result: Result, answer: Whole, previous: Whole): Result {
  const both = { ...(answer as Row), previous };
  return result.kind === 'record' ? { ...result, answer: both, record: both } : result;
}

/** Charts, and below each of them the one of the period before. */
async function chartsResult(periods: readonly (readonly Chart[])[], { world }: Session): Promise<Result> {
  const { drawCharts, beside } = await import('./charts.ts');
  const [current = [], previous] = periods;
  const text = await drawCharts(previous ? beside(current, previous) : current, screenOf(world.stdout, world));
  return { kind: 'record', answer: {}, record: {}, text };
}
