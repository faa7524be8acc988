/** A case of a suite. */
export interface JunitCase {
  readonly name: string;
  /** In milliseconds. */
  readonly duration: number;
  /** What was expected and what came instead, in one line or several; null when it passed. */
  readonly failure: readonly string[] | null;
  /** Why it was not tried. */
  readonly skipped?: string | undefined;
}

/** Results as JUnit's XML, which every CI reads. */
export function junitOf(suites: readonly { readonly name: string; readonly cases: readonly JunitCase[] }[]): string {
  const texts = suites.map(({ name, cases }) => {
    const count = (matches: (each: JunitCase) => boolean) => cases.filter(matches).length;
    const seconds = cases.reduce((sum, { duration }) => sum + duration, 0) / 1_000;
    const failed = count(({ failure }) => failure !== null);
    const skipped = count((each) => each.skipped !== undefined);
    const counts = `tests="${cases.length}" failures="${failed}"${skipped > 0 ? ` skipped="${skipped}"` : ''}`;
    const attributes = `name="${escaped(name)}" ${counts} time="${seconds.toFixed(3)}"`;
    return `  <testsuite ${attributes}>\n${cases.map((each) => caseText(name, each)).join('')}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${texts.join('')}</testsuites>\n`;
}

function caseText(suite: string, { name, duration, failure, skipped }: JunitCase): string {
  const attributes = `name="${escaped(name)}" classname="${escaped(suite)}" time="${(duration / 1_000).toFixed(3)}"`;
  if (skipped !== undefined) return `    <testcase ${attributes}>\n      <skipped message="${escaped(skipped)}"/>\n    </testcase>\n`;
  if (!failure) return `    <testcase ${attributes}/>\n`;
  const [message = ''] = failure;
  return `    <testcase ${attributes}>\n      <failure message="${escaped(message)}">${escaped(failure.join('\n'))}</failure>\n    </testcase>\n`;
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
