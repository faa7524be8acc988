/** The cell separators that are detected automatically. */
const separators = [',', ';', '\t', '|'];

/** A first line that declares the separator, as Excel understands it. */
const separatorLine = /^"?sep=(.)"?$/i;

/** The cell separator of a text, and whether a `sep=` line declares it. That line has no data. */
export interface Separation {
  readonly separator: string;
  readonly isNamed: boolean;
}

/**
 * Finds the cell separator: the one that the first line declares, or else the most frequent candidate in that line.
 * @param head the start of the text, at least up to the end of the first line
 * @param fallback the separator when the line has a single cell
 */
export function findSeparator(head: string, fallback: string): Separation {
  const [line = ''] = head.replace(/^[\r\n]+/, '').split(/[\r\n]/, 1);
  const [, named] = separatorLine.exec(line) ?? [];
  if (named !== undefined) return { separator: named, isNamed: true };
  const unquoted = line.replace(/"[^"]*"/g, '');
  const count = (separator: string) => unquoted.split(separator).length;
  const separator = separators.reduce((best, each) => (count(each) > count(best) ? each : best), fallback);
  return { separator, isNamed: false };
}
