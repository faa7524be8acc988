import type { JunitCase } from '../output/junit.ts';
import type { CaseResult } from './run-case.ts';

/** The results as suites of JUnit's XML: one for each file. */
export function suitesOf(results: readonly CaseResult[]): readonly { readonly name: string; readonly cases: readonly JunitCase[] }[] {
  return [...Map.groupBy(results, ({ tested }) => tested.file)].map(([name, cases]) => ({ name, cases: cases.map(caseOf) }));
}

function caseOf({ tested: { name }, isPassed, duration, exchanges }: CaseResult): JunitCase {
  const flaws = exchanges.flatMap((each) => each.flaws.map(({ expected, got }) => `${each.text}: expected ${expected}, got ${got}`));
  return { name, duration, failure: isPassed ? null : flaws };
}
