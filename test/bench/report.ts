/** One line of the report. */
export interface Line {
  readonly what: string;
  readonly value: string;
  /** The reference with which the value is compared, and the ratio. */
  readonly ratio: string;
  readonly budget: string;
  /** Whether the budget is met; null if there is no budget or nothing was measured. */
  readonly isKept: boolean | null;
}

/** The limits for a number. */
export interface Budget {
  readonly atMost?: number;
  readonly atLeast?: number;
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** A line for the ratio to a reference that was measured alternately. */
export function ratioLine(what: string, value: string, ratio: number, reference: string, budget: Budget | null): Line {
  return {
    what,
    value,
    ratio: `${ratio.toFixed(2)} × ${reference}`,
    budget: budget ? inWords(budget, (limit) => `${limit} ×`) : '',
    isKept: budget && isWithin(ratio, budget),
  };
}

/** A line for a rate per second. */
export function rateLine(what: string, rate: number, atLeast: number): Line {
  const shown = inWords({ atLeast }, (limit) => `${limit.toLocaleString('en-US')} /s`);
  return { what, value: perSecond(rate), ratio: '', budget: shown, isKept: rate >= atLeast };
}

/** A line for a count of events. */
export function countLine(what: string, count: number, budget: Budget): Line {
  return { what, value: `${count}`, ratio: '', budget: inWords(budget, String), isKept: isWithin(count, budget) };
}

/** A line for a latency in milliseconds. */
export function waitLine(what: string, wait: number, atMost: number): Line {
  return { what, value: `${wait.toFixed(1)} ms`, ratio: '', budget: `at most ${atMost} ms`, isKept: wait <= atMost };
}

/** A line for something that cannot be measured on this machine. */
export function skippedLine(what: string, reason: string): Line {
  return { what, value: 'SKIPPED', ratio: reason, budget: '', isKept: null };
}

export function perSecond(rate: number): string {
  return `${rate.toLocaleString('en-US', { maximumFractionDigits: 0 })} /s`;
}

export function printLine({ what, value, ratio, budget, isKept }: Line): void {
  const verdict = isKept === null ? '' : isKept ? 'within' : 'BEYOND';
  process.stdout.write(`${verdict.padEnd(6)}  ${what.padEnd(58)} ${value.padStart(10)}   ${ratio.padEnd(46)} ${budget}`.trimEnd() + '\n');
}

function isWithin(value: number, { atMost = Infinity, atLeast = -Infinity }: Budget): boolean {
  return value <= atMost && value >= atLeast;
}

function inWords({ atMost, atLeast = 0 }: Budget, show: (limit: number) => string): string {
  return atMost === undefined ? `at least ${show(atLeast)}` : `at most ${show(atMost)}`;
}
