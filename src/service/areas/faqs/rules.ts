import { hash } from 'node:crypto';
import { comparedQuestion } from '../../../contract/areas/faqs/question.ts';

/**
 * A key that identifies a question. Questions that differ only in case or white space have the same key (rule faqs.19).
 */
export function questionKey(question: string): string {
  return hash('sha256', comparedQuestion(question), 'base64url');
}
