/**
 * How similar two texts are, from 0 to 1: the share of the longer one that stays when the fewest characters are
 * inserted, deleted and replaced to make one of the other.
 */
export function similarity(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const length = Math.max(left.length, right.length);
  return length === 0 ? 1 : 1 - (editsWithin(left, right, length) ?? length) / length;
}

/** The fewest letters of a word that counts as the beginning of another one. */
const shortestBeginning = 3;

/**
 * The word that an unknown one most likely stands for, in any case: the shortest that begins with it, else the nearest one.
 * Undefined when none is near.
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

/** The likeness of a misspelled word to one that was perhaps meant; 0 when it was not. */
function nearness(typed: string, meant: string): number {
  if (areOpposites(typed, meant)) return 0;
  if (areSwapped(typed, meant)) return 1;
  const likeness = similarity(typed, meant);
  // A misspelled word nearly always begins as it should: `export` is no `import`.
  return likeness >= (typed.startsWith(meant.charAt(0)) ? 0.6 : 0.75) ? likeness : 0;
}

/** Whether one of two words is the other with a prefix that turns its meaning around. */
function areOpposites(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return ['un', 'in', 'dis', 'no-'].some((prefix) => long === prefix + short);
}

/** Whether two words differ by two neighbours that changed places. */
function areSwapped(a: string, b: string): boolean {
  const at = [...a].findIndex((letter, index) => letter !== b[index]);
  const swapped = a.slice(0, at) + (a[at + 1] ?? '') + (a[at] ?? '') + a.slice(at + 2);
  return swapped === b;
}

/** Whether two texts are at least this similar. It costs little when they are not. */
export function isSimilar(a: string, b: string, least: number): boolean {
  const [left, right] = [[...a], [...b]];
  return editsWithin(left, right, allowedEdits(Math.max(left.length, right.length), least)) !== undefined;
}

/** The most edits with which texts are still this similar. @param length of the longer one */
export function allowedEdits(length: number, least: number): number {
  // A little more, for products such as 0.2 × 15, which are not exact.
  return Math.floor((1 - least) * length + 1e-9);
}

/** The fewest edits that make one text of the other; undefined when they are more than `most`. */
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

/** Fills only the band of the table in which a path of at most `most` edits can run. */
function edits(a: readonly string[], b: readonly string[], most: number): number | undefined {
  const tooMany = most + 1;
  let row = Uint32Array.from({ length: b.length + 2 }, (_, column) => Math.min(column, tooMany));
  let next = new Uint32Array(b.length + 2);
  for (let line = 1; line <= a.length; line++) {
    const [from, to] = [Math.max(1, line - most), Math.min(b.length, line + most)];
    // Outside of the band, there are too many edits. The next line reads one column beyond it.
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
