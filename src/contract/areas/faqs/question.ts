import { foldCase } from '../../text/fold.ts';

/**
 * The form of a question for comparison. Questions that differ only in case, in Unicode variants of the same character, or in white
 * space are the same (rule faqs.19). `m²` and `m2` remain different.
 */
export function comparedQuestion(question: string): string {
  return foldCase(question.trim().replace(/\s+/gu, ' ').normalize('NFC')).normalize('NFC');
}
