/** A status in the form used on the command line: `pending-approval`. */
export function statusWord(status: string): string {
  return status.trim().toLowerCase().replaceAll(/[ _]/g, '-');
}
