/** Whether a file is a table, by its name. */
export function isTable(file: string): boolean {
  return /\.(csv|tsv|xlsx|xlsm)$/i.test(file);
}
