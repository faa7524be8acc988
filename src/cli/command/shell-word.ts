/** Quotes a text for the shell when it needs quotes. */
export function shellWord(text: string): string {
  return /^[\w.:/@+-][\w.:/@+,=-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
