/** The separators of cells that are found by themselves. */
const separators = [',', ';', '\t', '|'];

/** The first line by which Excel is told the separator. */
const separatorLine = /^"?sep=(.)"?$/i;

/** The separator of the cells of a text, and whether its first line is there only to name it. */
export interface Separation {
  readonly separator: string;
  readonly isNamed: boolean;
}

/**
 * Finds the separator of cells: the one that the first line names, or the candidate that is most frequent in it.
 * @param head the text, up to the end of the first line at least
 * @param fallback the separator of a line with one cell
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
