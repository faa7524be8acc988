/**
 * A question as it is compared with others: those that differ only in case, or in white space around them, are the same
 * (rule faqs.19). `m²` and `m2` stay apart.
 */
export function comparedQuestion(question: string): string {
  return question.trim().normalize('NFC').toLowerCase();
}
