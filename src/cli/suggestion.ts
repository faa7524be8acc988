/** The share of equal characters from which a word is taken for a misspelling. */
const likeness = 0.5;

/** The word that a misspelled one most likely stands for; undefined when none is near. */
export function suggestion(word: string, known: readonly string[]): string | undefined {
  if (word === '') return undefined;
  const given = word.toLowerCase();
  const scored = known.map((each) => ({ each, distance: editDistance(given, each.toLowerCase()) }));
  const best = scored.toSorted((a, b) => a.distance - b.distance)[0];
  return best && best.distance <= Math.max(given.length, best.each.length) * (1 - likeness) ? best.each : undefined;
}

/** How many characters must be inserted, removed or replaced to turn one text into the other. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (let at = 1; at <= other.length; at++)
      next.push(Math.min((row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, (row[at - 1] ?? 0) + (other[at - 1] === character ? 0 : 1)));
    row = next;
  }
  return row[other.length] ?? 0;
}
