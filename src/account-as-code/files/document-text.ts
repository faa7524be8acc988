import { type Document, Scalar, type ToStringOptions, visit } from 'yaml';

/** Serializes a document so that its strings are read back unchanged, also by parsers that are stricter than the library or older. */
export function documentText(document: Document, options?: ToStringOptions): string {
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === 'string' && needsQuotes(scalar.value, scalar)) scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  // On several lines, the library would write a blank between two line breaks as a backslash.
  const text = document.toString({ ...options, doubleQuotedMinMultiLineLength: Infinity });
  return text.replace(escapedOnly, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Characters that YAML, or YAML 1.1, allows only as escapes, which the library does not write. Some are line breaks in YAML 1.1. */
const escapedOnly = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A tab at the beginning, or in a text of one line. PyYAML reads neither, unless the text has quotes. */
const strayTab = /^\s*\t|^.*\t.*$/;

/** Whether the library would write a string in another form than quotes, and thereby change it for some parser. */
function needsQuotes(text: string, { type }: Scalar): boolean {
  // As a block scalar, whitespace with newlines would lose its leading spaces.
  if (/^[ \t\n]*\n[ \t\n]*$/.test(text) || text.search(escapedOnly) >= 0) return true;
  // What a person wrote without quotes stays so.
  return type === undefined && (strayTab.test(text) || otherInYaml11.some((form) => form.test(text)));
}

/**
 * What parsers of YAML 1.1, such as PyYAML, Psych and go-yaml, do not read as a string if it has no quotes. The library quotes what
 * YAML 1.2 does not read as one.
 */
const otherInYaml11: readonly RegExp[] = [
  /^(?:y|yes|n|no|on|off|true|false|null|~|=|<<)$/i,
  // Integers of other bases, with separators of digits.
  /^[-+]?0(?:b[01_,]+|o?[0-7_,]+|x[\da-f_,]+)$/i,
  // Decimal numbers with separators, and those with base 60, such as `17:00`.
  /^[-+]?(?:[\d.][\d_,.:]*)?(?:e[-+]?\d+)?$/i,
  /^[-+]?\.(?:inf|nan)$/i,
  /^[-+]?\d{4}-\d{1,2}-\d{1,2}(?:(?:t|\s+)\d.*)?$/i,
  // Symbols of Ruby.
  /^:/,
];
