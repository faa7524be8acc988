/** Text with lines of at most so many columns, where spaces allow it. */
export function wrapped(text: string, columns: number): string {
  return text.replace(new RegExp(`(?!.{0,${columns}}$)(.{1,${columns}}) `, 'gm'), '$1\n');
}
