// The placeholders of a template: `{{name}}`, `{name}` or `[name]`, with a default and transforms as in `{{company|Your
// Company|uppercase}}`. Everything else is literal text, so a template never has a syntax error.

const transforms = {
  uppercase: (text: string) => text.toUpperCase(),
  lowercase: (text: string) => text.toLowerCase(),
  capitalize: (text: string) => {
    const [first = '', ...rest] = text;
    return first.toUpperCase() + rest.join('').toLowerCase();
  },
} as const;

type Transform = keyof typeof transforms;

export const transformNames = Object.keys(transforms) as readonly Transform[];

/** A placeholder in a template, which a value replaces. */
export interface Placeholder {
  readonly name: string;
  /** The default, which is inserted when there is no value and may be empty; null when a value is required. */
  readonly fallback: string | null;
  /** Applied in order. */
  readonly transforms: readonly Transform[];
  /** Its start and length in the text, in UTF-16 code units. */
  readonly at: number;
  readonly length: number;
}

/** A template in its parts, in order. */
export type BodyPart = string | Placeholder;

const spelled = /\{\{([^{}\n]*)\}\}|\{([^{}\n]*)\}|\[([^[\]{}\n]*)\]/g;

// A request cannot set a value for `__proto__`: parsing its body drops this name.
const word = /^(?!__proto__$)[\p{L}_][\p{L}\p{M}\p{N}_]*$/u;

/** A number is a name only in double braces: `[1]` is a footnote. */
const numeral = /^\d+$/;

/** Splits a template into text and placeholders. Adjacent text is one part. */
export function parseTemplate(body: string): BodyPart[] {
  const parts: BodyPart[] = [];
  let text = '';
  for (let at = 0; at < body.length;) {
    spelled.lastIndex = at;
    const match = spelled.exec(body);
    const start = match?.index ?? body.length;
    text += body.slice(at, start);
    if (!match) break;
    const placeholder = readPlaceholder(match);
    if (placeholder) {
      if (text !== '') parts.push(text);
      parts.push(placeholder);
      text = '';
      at = start + placeholder.length;
    } else {
      // A placeholder may begin inside text that only looked like one.
      text += body[start];
      at = start + 1;
    }
  }
  if (text !== '') parts.push(text);
  return parts;
}

function readPlaceholder(match: RegExpExecArray): Placeholder | undefined {
  const [whole, double, braced, bracketed] = match;
  const [name = '', ...details] = (double ?? braced ?? bracketed ?? '').split('|').map((each) => each.trim());
  if (!word.test(name) && !(double !== undefined && numeral.test(name))) return undefined;
  const last = details.findLastIndex((each) => !isTransform(each));
  return {
    name,
    fallback: last === -1 ? null : details.slice(0, last + 1).join('|'),
    transforms: details.slice(last + 1).filter(isTransform),
    at: match.index,
    length: whole.length,
  };
}

function isTransform(text: string): text is Transform {
  return Object.hasOwn(transforms, text);
}

function isPlaceholder(part: BodyPart): part is Placeholder {
  return typeof part !== 'string';
}

/** A template with all placeholders in double braces. Its meaning does not change. */
export function normalizeTemplate(body: string): string {
  return parseTemplate(body).map(written).join('');
}

function written(part: BodyPart): string {
  if (typeof part === 'string') return part;
  return `{{${[part.name, ...(part.fallback === null ? [] : [part.fallback]), ...part.transforms].join('|')}}}`;
}

/** The names of a template's variables, without duplicates, in the order of their first appearance in the body. */
export function variablesOf(body: string): string[] {
  return [
    ...new Set(
      parseTemplate(body)
        .filter(isPlaceholder)
        .map(({ name }) => name),
    ),
  ];
}

/** A template with its values filled in. */
interface Rendered {
  /** Placeholders without a value stay as they are. */
  readonly text: string;
  /** The variables that have neither a value nor a default, each once. */
  readonly missing: readonly string[];
  /** The values that were inserted, as they appear in the text. */
  readonly filled: readonly { readonly name: string; readonly value: string }[];
}

/**
 * Fills the placeholders of a template. Transforms apply to the default too.
 * @param valueOf the value of a variable; undefined, null or blank when it has none
 */
export function renderTemplate(body: string, valueOf: (name: string) => string | null | undefined): Rendered {
  const missing = new Set<string>();
  const filled: { name: string; value: string }[] = [];
  const texts = parseTemplate(body).map((part) => {
    if (typeof part === 'string') return part;
    const given = valueOf(part.name);
    const value = given === undefined || given === null || given.trim() === '' ? part.fallback : given;
    if (value === null) {
      missing.add(part.name);
      return written(part);
    }
    const text = part.transforms.reduce((each, name) => transforms[name](each), value);
    filled.push({ name: part.name, value: text });
    return text;
  });
  return { text: texts.join(''), missing: [...missing], filled };
}
