import { parseTemplate, type Placeholder } from '../../../../contract/areas/templates/placeholders.ts';

/** A problem in a text. */
export interface TextProblem {
  /** The index of the character where it is. */
  readonly at: number;
  readonly problem: string;
}

/** What the reviewers of the chat app reject in a text, although the service accepts it. */
export function reviewProblems(body: string): TextProblem[] {
  const placeholders = parseTemplate(body).filter(isPlaceholder);
  const found = [...placeProblems(body), ...placeholders.map(nameProblem), ...numberProblems(placeholders)];
  return found
    .filter((each) => each !== undefined)
    .map(([{ at, length }, reason]) => ({ at, problem: `'${body.slice(at, at + length)}' ${reason}` }));
}

/** A placeholder, and the rest of a sentence that begins with it. */
type Finding = readonly [placeholder: Placeholder, reason: string];

const isPlaceholder = (part: string | Placeholder) => typeof part !== 'string';

/** Placeholders at the beginning or the end, and next to each other. Blanks do not count as text. */
function placeProblems(body: string): Finding[] {
  const parts = parseTemplate(body).filter((part) => isPlaceholder(part) || part.trim() !== '');
  return parts.flatMap((part, index): Finding[] => {
    if (!isPlaceholder(part)) return [];
    const before = parts[index - 1];
    return [
      ...(before === undefined ? [[part, 'begins the text, which reviewers reject: put a word before it'] as const] : []),
      ...(before !== undefined && isPlaceholder(before)
        ? [[part, 'follows another variable, which reviewers reject: put a word between them'] as const]
        : []),
      ...(index === parts.length - 1 ? [[part, 'ends the text, which reviewers reject: put a word after it'] as const] : []),
    ];
  });
}

/** Whether the name of a placeholder is a number. Other names do not begin with a digit. */
const isNumbered = ({ name }: Placeholder) => /^\d/.test(name);

function nameProblem(placeholder: Placeholder): Finding | undefined {
  const { name } = placeholder;
  if (isNumbered(placeholder)) {
    if (Number(name) === 0) return [placeholder, 'is rejected by reviewers: numbers begin at {{1}}'];
    return name.startsWith('0') ? [placeholder, `is rejected by reviewers: write {{${Number(name)}}}`] : undefined;
  }
  if (/^[a-z\d_]+$/.test(name)) return undefined;
  const accepted = name.replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, '_').toLowerCase();
  const advice = /^[a-z\d_]+$/.test(accepted) ? `: write {{${accepted}}}` : '';
  return [placeholder, `is rejected by reviewers: a name has lowercase letters a to z, digits and underscores${advice}`];
}

/** The first number after a gap, and the first placeholder of the other kind where numbers and names are mixed. */
function numberProblems(placeholders: readonly Placeholder[]): Finding[] {
  const numbers = new Set(placeholders.filter(isNumbered).map(({ name }) => Number(name)));
  const next = [...Array(numbers.size + 1).keys()].map((index) => index + 1).find((number) => !numbers.has(number));
  const beyond = placeholders.find((each) => isNumbered(each) && Number(each.name) > (next ?? 0));
  const [first] = placeholders;
  const other = first && placeholders.find((each) => isNumbered(each) !== isNumbered(first));
  return [
    ...(beyond ? [[beyond, `is rejected by reviewers without {{${next}}}: numbers have no gaps`] as const] : []),
    ...(other ? [[other, 'is rejected by reviewers beside the others: use numbers or names, not both'] as const] : []),
  ];
}
