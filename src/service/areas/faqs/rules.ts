import { hash } from 'node:crypto';
import { comparedQuestion } from '../../../contract/areas/faqs/question.ts';

/** Identifies a question: those that differ only in case, or in white space around them, are the same (rule faqs.19). */
export function questionKey(question: string): string {
  return hash('sha256', comparedQuestion(question), 'base64url');
}
