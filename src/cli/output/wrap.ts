/** Wraps text at spaces to lines of at most `columns` columns. Longer words are not broken. */
export function wrapped(text: string, columns: number): string {
  return text.replace(new RegExp(`(?!.{0,${columns}}$)(.{1,${columns}}) `, 'gm'), '$1\n');
}
