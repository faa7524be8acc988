/** Quotes a text for the shell if necessary. */
export function shellWord(text: string): string {
  return /^[\w.:/@+-][\w.:/@+,=-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
