/**
 * The similarity of two texts, from 0 to 1: one minus the edit distance (insertions, deletions, replacements) divided by the
 * length of the longer text.
 */
export function similarity(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const length = Math.max(left.length, right.length);
  return length === 0 ? 1 : 1 - (editsWithin(left, right, length) ?? length) / length;
}

/** The minimum length of a word that is tried as the beginning of another word. */
const shortestBeginning = 3;

/**
 * The known word that a misspelled one most likely means, ignoring case: the shortest word that begins with it, or else the most
 * similar one. Undefined when no word is similar enough.
 */
export function suggestion(word: string, known: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  const whole = known.filter((each) => typed.length >= shortestBeginning && each.toLowerCase().startsWith(typed));
  const [completion] = whole.sort((a, b) => a.length - b.length);
  if (completion !== undefined) return completion;
  const scored = known.map((each) => ({ each, nearness: nearness(typed, each.toLowerCase()) }));
  const [best] = scored.sort((a, b) => b.nearness - a.nearness);
  return best && best.nearness > 0 ? best.each : undefined;
}

/** The similarity of a misspelled word to a candidate; 0 when the candidate is unlikely. */
function nearness(typed: string, meant: string): number {
  if (areOpposites(typed, meant)) return 0;
  if (areSwapped(typed, meant)) return 1;
  const likeness = similarity(typed, meant);
  // A misspelled word usually has the right first letter, so other words must be more similar: `export` does not suggest
  // `import`.
  return likeness >= (typed.startsWith(meant.charAt(0)) ? 0.6 : 0.75) ? likeness : 0;
}

/** Whether one word is the other with a negating prefix. */
function areOpposites(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return ['un', 'in', 'dis', 'no-'].some((prefix) => long === prefix + short);
}

/** Whether two words differ only by two swapped adjacent letters. */
function areSwapped(a: string, b: string): boolean {
  const at = [...a].findIndex((letter, index) => letter !== b[index]);
  const swapped = a.slice(0, at) + (a[at + 1] ?? '') + (a[at] ?? '') + a.slice(at + 2);
  return swapped === b;
}

/** Whether two texts are at least this similar. Stops early when they are not. */
export function isSimilar(a: string, b: string, least: number): boolean {
  const [left, right] = [[...a], [...b]];
  return editsWithin(left, right, allowedEdits(Math.max(left.length, right.length), least)) !== undefined;
}

/** The maximum number of edits at which two texts are still this similar. @param length of the longer text */
export function allowedEdits(length: number, least: number): number {
  // The tolerance makes up for inexact products such as 0.2 × 15.
  return Math.floor((1 - least) * length + 1e-9);
}

/** The edit distance of two texts; undefined when it is greater than `most`. */
function editsWithin(a: readonly string[], b: readonly string[], most: number): number | undefined {
  if (Math.abs(a.length - b.length) > most) return undefined;
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endOfA, endOfB] = [a.length, b.length];
  while (endOfA > start && endOfB > start && a[endOfA - 1] === b[endOfB - 1]) {
    endOfA--;
    endOfB--;
  }
  return edits(a.slice(start, endOfA), b.slice(start, endOfB), most);
}

/** Fills only the band of the table that paths of at most `most` edits can pass through. */
function edits(a: readonly string[], b: readonly string[], most: number): number | undefined {
  const tooMany = most + 1;
  let row = Uint32Array.from({ length: b.length + 2 }, (_, column) => Math.min(column, tooMany));
  let next = new Uint32Array(b.length + 2);
  for (let line = 1; line <= a.length; line++) {
    const [from, to] = [Math.max(1, line - most), Math.min(b.length, line + most)];
    // Cells outside of the band need too many edits. The next row reads one column beyond the band.
    next[from - 1] = from === 1 ? Math.min(line, tooMany) : tooMany;
    next[to + 1] = tooMany;
    let least = next[from - 1] ?? tooMany;
    for (let column = from; column <= to; column++) {
      const replaced = (row[column - 1] ?? tooMany) + (a[line - 1] === b[column - 1] ? 0 : 1);
      const value = Math.min(replaced, (row[column] ?? tooMany) + 1, (next[column - 1] ?? tooMany) + 1, tooMany);
      next[column] = value;
      if (value < least) least = value;
    }
    if (least > most) return undefined;
    [row, next] = [next, row];
  }
  const found = row[b.length] ?? tooMany;
  return found > most ? undefined : found;
}
