/** A place in a text where what is struck out may begin or end. */
interface Mark {
  /** What its other end must be alike. */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly opens: boolean;
  readonly closes: boolean;
}

/** A part of a text. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * A text without comments and without what is struck out: between one or two tildes, as GitHub reads them, or in elements of HTML.
 * Code and escaped characters are no marks.
 * @param text the lines of a paragraph, an item or a row
 */
export function withoutStruck(text: string): string {
  const masked = text.replace(/\\(?:~+|[^\n])|`+[^`]*`+/g, (each) => '`'.repeat(each.length));
  let rest = '';
  let end = 0;
  for (const range of struckRanges(marksIn(masked))) {
    rest += text.slice(end, range.start);
    end = range.end;
  }
  return rest + text.slice(end);
}

function marksIn(text: string): Mark[] {
  return [...text.matchAll(/~+|<!--|-->|<(\/?)(del|s|strike)(?:\s[^<>]{0,200})?>/gi)].flatMap(({ 0: found, 1: slash, 2: name, index }) => {
    const place = { start: index, end: index + found.length };
    if (name !== undefined) return [{ ...place, kind: name.toLowerCase(), opens: slash === '', closes: slash !== '' }];
    if (!found.startsWith('~')) return [{ ...place, kind: 'comment', opens: found === '<!--', closes: found === '-->' }];
    return found.length > 2 ? [] : [{ ...place, kind: found, ...sidesOf(text, place, found === '~') }];
  });
}

/**
 * Whether a run of tildes may open or close, which is decided by what is beside it. A single tilde within a word or number is none,
 * as in `H~2~O` and `9~17`.
 */
function sidesOf(text: string, { start, end }: Range, isSingle: boolean): Pick<Mark, 'opens' | 'closes'> {
  const [before, after] = [kindOf(text[start - 1]), kindOf(text[end])];
  const isFree = (side: string) => (isSingle ? side !== 'word' : true);
  return {
    opens: (after === 'word' || (after === 'punctuation' && before !== 'word')) && isFree(before),
    closes: (before === 'word' || (before === 'punctuation' && after !== 'word')) && isFree(after),
  };
}

function kindOf(character = ' '): 'space' | 'punctuation' | 'word' {
  if (/\s/.test(character)) return 'space';
  return /[\p{P}\p{S}]/u.test(character) ? 'punctuation' : 'word';
}

/** The ranges that marks enclose, in order. A mark closes the last one of its kind, and marks between them are void. */
function struckRanges(marks: readonly Mark[]): Range[] {
  const open: Mark[] = [];
  const counts = new Map<string, number>();
  const ranges: Range[] = [];
  const pop = () => {
    const mark = open.pop();
    if (mark) counts.set(mark.kind, (counts.get(mark.kind) ?? 0) - 1);
    return mark;
  };
  for (const mark of marks) {
    if (mark.closes && (counts.get(mark.kind) ?? 0) > 0) {
      let opener = pop();
      while (opener && opener.kind !== mark.kind) opener = pop();
      const start = opener?.start ?? mark.start;
      while ((ranges.at(-1)?.start ?? -1) >= start) ranges.pop();
      ranges.push({ start, end: mark.end });
    } else if (mark.opens) {
      open.push(mark);
      counts.set(mark.kind, (counts.get(mark.kind) ?? 0) + 1);
    }
  }
  return ranges;
}
