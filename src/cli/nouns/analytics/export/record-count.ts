/** How many records of the ledger have been exported. Corrections are left out, because the totals of the ledger leave them out. */
export interface RecordCount {
  /** A day on which no records are added any more, as YYYY-MM-DD. */
  readonly settled: string;
  /** The number of records up to this day. Null when unknown: checkpoints of earlier versions have none. */
  readonly records: number | null;
  /** The number of records on each day after it. */
  readonly later: Readonly<Record<string, number>>;
}

/** Moves the settled day of a count on. */
export function settledBy({ records, later }: Omit<RecordCount, 'settled'>, settled: string): RecordCount {
  const isSettled = ([day]: [string, number]) => day <= settled;
  const days = Object.entries(later);
  const added = days.filter(isSettled).reduce((total, [, count]) => total + count, 0);
  return { settled, records: records === null ? null : records + added, later: Object.fromEntries(days.filter((day) => !isSettled(day))) };
}

/** Adds exported records to a count. */
export function withRecords(
  { settled, records, later }: RecordCount,
  exported: readonly { readonly at: string; readonly is_adjustment: boolean }[],
): RecordCount {
  const byDay: Record<string, number> = { ...later };
  for (const { at, is_adjustment: isAdjustment } of exported) {
    const day = at.slice(0, 10);
    if (!isAdjustment) byDay[day] = (byDay[day] ?? 0) + 1;
  }
  return settledBy({ records, later: byDay }, settled);
}
