/** Compares two texts by their code units, for `sort`: the same order in every locale. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
