/** Matches what would end a cell of TSV. */
const separator = /\r\n|[\t\r\n]/g;

/** A cell in quotes, with doubled quotes inside, as spreadsheets write it. */
const quoted = /^"((?:[^"]|"")*)"$/;

/** A line of TSV: the cells as they are, with blanks for tabs and line breaks, because TSV has no quotes. */
export function tsvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => cell.replace(separator, ' ')).join('\t')}\n`;
}

/** Whether a cell would be read as one that a spreadsheet quoted. */
export function isQuoted(cell: string): boolean {
  return quoted.test(cell);
}

/** The text of a cell of TSV. Spreadsheets quote cells; other quotes are part of the text: `5" screens`. */
export function readTsvCell(cell: string): string {
  return quoted.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell;
}
