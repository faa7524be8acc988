import { type Document, Scalar, visit } from 'yaml';

/** Puts texts in quotes that the library would write as a block of lines, without their first spaces. */
export function quoteBlocks(document: Document): void {
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === 'string' && /^[ \t\n]*\n[ \t\n]*$/.test(scalar.value)) scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
}
