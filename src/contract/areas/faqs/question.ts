/**
 * The form of a question for comparison. Questions that differ only in case or in surrounding white space are the same (rule
 * faqs.19). `m²` and `m2` remain different.
 */
export function comparedQuestion(question: string): string {
  return question.trim().normalize('NFC').toLowerCase();
}
