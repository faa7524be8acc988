/** A part of a text, from the first character to the one before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What may end a sentence: its sign before white space, a sign of a script without spaces, or the end of a line. */
const possibleEnd = /(?:(?<![.!?…؟۔])[.!?…؟۔]+["'”“’»)\]]*(?=\s|$)|[。！？।॥]+["'”’»」』）]*|\n)\s*/gu;

/** How many characters before a sign tell whether it ends a sentence. */
const looked = 12;

/** Short forms that stand before a name or a number. */
const shortForms =
  'abs|approx|apt|art|av|avda|bspw|bzw|ca|cad|capt|dr|dra|ee|evtl|excl|exkl|ext|fig|gen|gest|ggf|hrsg|incl|inkl|lt|mah|max|min|mio|mlle|mme|mr|mrd|mrs|ms|no|np|nr|num|núm|pág|prof|sgt|sog|sok|sr|sra|st|str|tel|tzn|tzv|uds?|ul|uu|vgl|vs|zzgl|им|коп|руб|стр|тел|ул';

/** A short form, or a letter, such as those of "z. B." and "e.g.". */
const shortForm = new RegExp(`(?:^|[\\s(.])(?:\\p{L}|${shortForms})\\.$`, 'iu');

/** A short form that stands before a number: "Jan. 5", "kl. 9". */
const beforeNumber = /(?:^|[\s(])(?:jan|feb|febr|mar|apr|jun|jul|aug|sept?|okt|oct|nov|dec|dez|déc|abb|bd|cca|chap|kap|kl|tab|vol)\.$/iu;

/** The number of an item of a list. */
const itemNumber = /^\s*\p{N}{1,3}\.$/u;

/** A German ordinal, such as that of "am 3. Mai". */
const ordinal = /(?:^|\s)(?:am|beim|das|dem|den|der|des|die|im|vom|zum|zur)\s\p{N}{1,2}\.$/iu;

/** A number with a full stop, and what makes an ordinal of it: "bis 7. Mai", "des 18. und 19. Jahrhunderts". */
const numbered = /(?:^|\s)\p{N}{1,2}\.$/u;
const afterOrdinal =
  /^(?:Jahrhundert|Jh\.|Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Klasse|Etage|Stock|Auflage)/u;

/** The sentences of a text, each with the white space behind it. The end of a line also ends one. */
export function sentencesOf(text: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const { index, 0: sign } of text.matchAll(possibleEnd)) {
    const end = index + sign.length;
    if (sign.startsWith('.') && !sign.includes('\n') && goesOn(text, start, index, end)) continue;
    spans.push({ start, end });
    start = end;
  }
  if (start < text.length) spans.push({ start, end: text.length });
  return spans;
}

/** Whether a sentence goes on behind a full stop: that of a short form, an ordinal or the number of an item, or one before a small letter. */
function goesOn(text: string, start: number, stop: number, next: number): boolean {
  const before = text.slice(Math.max(start, stop - looked), stop + 1);
  const after = text.slice(next, next + looked);
  if ([shortForm, ordinal, itemNumber].some((form) => form.test(before)) || /^\p{Ll}/u.test(after)) return true;
  return (beforeNumber.test(before) && /^\p{N}/u.test(after)) || (numbered.test(before) && afterOrdinal.test(after));
}
