import { type Document, Scalar, visit } from 'yaml';

/** Quotes strings that consist of whitespace and newlines: as block scalars, the library would drop their leading spaces. */
export function quoteBlocks(document: Document): void {
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === 'string' && /^[ \t\n]*\n[ \t\n]*$/.test(scalar.value)) scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
}
