import type { CaseResult } from './run-case.ts';

/** The results as JUnit's XML, which every CI reads: a suite for each file. */
export function junitOf(results: readonly CaseResult[]): string {
  const suites = [...Map.groupBy(results, ({ tested }) => tested.file)].map(([file, cases]) => {
    const failed = cases.filter(({ isPassed }) => !isPassed).length;
    const seconds = cases.reduce((sum, { duration }) => sum + duration, 0) / 1_000;
    const attributes = `name="${escaped(file)}" tests="${cases.length}" failures="${failed}" time="${seconds.toFixed(3)}"`;
    return `  <testsuite ${attributes}>\n${cases.map(caseText).join('')}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`;
}

function caseText({ tested, isPassed, duration, exchanges }: CaseResult): string {
  const attributes = `name="${escaped(tested.name)}" classname="${escaped(tested.file)}" time="${(duration / 1_000).toFixed(3)}"`;
  if (isPassed) return `    <testcase ${attributes}/>\n`;
  const flaws = exchanges.flatMap((each) => each.flaws.map(({ expected, got }) => `${each.text}: expected ${expected}, got ${got}`));
  return `    <testcase ${attributes}>\n      <failure message="${escaped(flaws[0] ?? '')}">${escaped(flaws.join('\n'))}</failure>\n    </testcase>\n`;
}

function escaped(text: string): string {
  return (
    text
      // XML 1.0 has no other control characters.
      .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/"/g, '&quot;')
  );
}
