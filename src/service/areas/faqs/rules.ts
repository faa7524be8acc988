import { hash } from 'node:crypto';
import { comparedQuestion } from '../../../contract/areas/faqs/question.ts';
import { foldAccents } from '../../../contract/text/fold.ts';
import { bareText } from './same-words.ts';

/**
 * A key that identifies a question. Questions that differ only in case or white space have the same key (rule faqs.19).
 */
export function questionKey(question: string): string {
  return hash('sha256', comparedQuestion(question), 'base64url');
}

/** A question as it is spoken: without case, accents and punctuation (rule answers.23). Other signs stay, as in `C#` and `5 %`. */
export function spokenForm(question: string): string {
  return bareText(foldAccents(question)).folded;
}
