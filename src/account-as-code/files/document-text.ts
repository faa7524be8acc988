import { type Document, Scalar, type ToStringOptions, visit } from 'yaml';

/** Serializes a document so that its strings are read back unchanged, also by parsers that are stricter than the library. */
export function documentText(document: Document, options?: ToStringOptions): string {
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === 'string' && needsQuotes(scalar.value)) scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  // YAML allows these characters only as escapes, which the library does not write.
  return document.toString(options).replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
}

/** Whether the library would write a string in another form than quotes, and thereby change it. */
function needsQuotes(text: string): boolean {
  // As a block scalar, whitespace with newlines would lose its leading spaces.
  return /^[ \t\n]*\n[ \t\n]*$/.test(text) || /[\uFFFE\uFFFF]/.test(text);
}
