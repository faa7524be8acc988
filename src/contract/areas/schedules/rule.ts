import { limits } from '../../limits.ts';
import { parseInstant } from '../../time/instants.ts';

/** When a rule ends: at an instant, or at a local time in its zone, in milliseconds as in `Zone`. */
type RuleEnd = { readonly instant: number } | { readonly localTime: number };

/** A recurrence rule of RFC 5545, without what ends it. */
interface Rule {
  /** The rule without COUNT and UNTIL. */
  readonly pattern: string;
  readonly count: number | undefined;
  readonly until: RuleEnd | undefined;
}

const day = /^([+-]?([1-9]|[1-4]\d|5[0-3]))?(MO|TU|WE|TH|FR|SA|SU)$/;

/** The values of the parts of a rule: numbers in a range, also negative ones, or words. */
const parts: Readonly<Record<string, { readonly from: number; readonly to: number; readonly signed?: true } | RegExp>> = {
  FREQ: /^(SECONDLY|MINUTELY|HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY)$/,
  INTERVAL: { from: 1, to: 1_000_000 },
  COUNT: { from: 1, to: limits.ruleCount },
  UNTIL: /^\d{8}(T\d{6}Z?)?$/,
  BYSECOND: { from: 0, to: 59 },
  BYMINUTE: { from: 0, to: 59 },
  BYHOUR: { from: 0, to: 23 },
  BYDAY: day,
  BYMONTHDAY: { from: 1, to: 31, signed: true },
  BYYEARDAY: { from: 1, to: 366, signed: true },
  BYWEEKNO: { from: 1, to: 53, signed: true },
  BYMONTH: { from: 1, to: 12 },
  BYSETPOS: { from: 1, to: 366, signed: true },
  WKST: /^(MO|TU|WE|TH|FR|SA|SU)$/,
};

/** The parts that have one value. The others have lists. */
const single = new Set(['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'WKST']);

/**
 * Reads a recurrence rule, such as `FREQ=WEEKLY;BYDAY=MO`. Upper and lower case are the same.
 * @returns the rule, or what is wrong with it
 */
export function readRule(text: string): Rule | string {
  const given = new Map<string, string>();
  for (const part of text.toUpperCase().split(';')) {
    const [, name = '', value = ''] = /^([A-Z]+)=(.+)$/.exec(part) ?? [];
    const wanted = parts[name];
    if (name === 'DTSTART') return 'must not have DTSTART, which is run_at';
    if (!wanted) return `has an unknown part '${part}': it is a recurrence rule of RFC 5545, such as FREQ=WEEKLY;BYDAY=MO`;
    if (given.has(name)) return `has ${name} twice`;
    const values = single.has(name) ? [value] : value.split(',');
    const wrong = values.find((each) => !(wanted instanceof RegExp ? wanted.test(each) : isWithin(each, wanted)));
    if (wrong !== undefined) return `has an invalid ${name}: '${wrong}'${wanted instanceof RegExp ? '' : rangeText(wanted)}`;
    given.set(name, value);
  }
  if (!given.has('FREQ')) return 'must have FREQ, such as FREQ=DAILY';
  const flaw = contradiction(given);
  if (flaw !== undefined) return flaw;
  const [count, until] = [given.get('COUNT'), given.get('UNTIL')];
  if (count !== undefined && until !== undefined) return 'must not have both COUNT and UNTIL';
  const end = until === undefined ? undefined : readEnd(until);
  if (until !== undefined && end === undefined) return `has an invalid UNTIL: '${until}'`;
  const pattern = [...given].flatMap(([name, value]) => (name === 'COUNT' || name === 'UNTIL' ? [] : [`${name}=${value}`])).join(';');
  return { pattern, count: count === undefined ? undefined : Number(count), until: end };
}

/** The maximum number of times of a day. Of more, some are less than an hour apart, and BYSETPOS would look at all of them. */
const timesOfDay = 24;

/** What cannot be together, by RFC 5545 (section 3.3.10) or because it is too much; undefined for nothing. */
function contradiction(given: ReadonlyMap<string, string>): string | undefined {
  const frequency = given.get('FREQ') ?? '';
  const times = ['BYHOUR', 'BYMINUTE', 'BYSECOND'].reduce((product, name) => product * (given.get(name)?.split(',').length ?? 1), 1);
  if (times > timesOfDay) return `must not name more than ${timesOfDay} times of a day`;
  const isNumbered = /\d/.test(given.get('BYDAY') ?? '');
  if (isNumbered && !['MONTHLY', 'YEARLY'].includes(frequency)) return 'must have days such as 1MO only with FREQ=MONTHLY or FREQ=YEARLY';
  if (isNumbered && given.has('BYWEEKNO')) return 'must not have days such as 1MO beside BYWEEKNO';
  if (given.has('BYWEEKNO') && frequency !== 'YEARLY') return 'must have BYWEEKNO only with FREQ=YEARLY';
  if (given.has('BYYEARDAY') && ['DAILY', 'WEEKLY', 'MONTHLY'].includes(frequency)) return `must not have BYYEARDAY with FREQ=${frequency}`;
  if (given.has('BYMONTHDAY') && frequency === 'WEEKLY') return 'must not have BYMONTHDAY with FREQ=WEEKLY';
  const isAlone = ![...given.keys()].some((name) => name.startsWith('BY') && name !== 'BYSETPOS');
  return given.has('BYSETPOS') && isAlone ? 'must have BYSETPOS only beside another BY part' : undefined;
}

function isWithin(value: string, { from, to, signed }: { readonly from: number; readonly to: number; readonly signed?: true }): boolean {
  if (!(signed ? /^[+-]?\d{1,7}$/ : /^\d{1,7}$/).test(value)) return false;
  const number = Math.abs(Number(value));
  return number >= from && number <= to;
}

function rangeText({ from, to, signed }: { readonly from: number; readonly to: number; readonly signed?: true }): string {
  return `; it is a whole number from ${from} to ${to}${signed ? ', or counts from the end with a minus' : ''}`;
}

/** Reads the value of UNTIL: an instant with Z, a local time without, or a day, of which it is the last moment. */
function readEnd(value: string): RuleEnd | undefined {
  const [, year, month, date, time] = /^(\d{4})(\d\d)(\d\d)(?:T(\d{6}))?/.exec(value) ?? [];
  const clock = time === undefined ? '23:59:59' : (time.match(/../g) ?? []).join(':');
  const instant = parseInstant(`${year}-${month}-${date}T${clock}Z`);
  if (instant === undefined) return undefined;
  return value.endsWith('Z') ? { instant } : { localTime: instant };
}
