import { hash } from 'node:crypto';
import { fold } from '../../../contract/fold.ts';

/** Identifies a question: those that differ only in case, or in white space around them, are the same (rule faqs.19). */
export function questionKey(question: string): string {
  return hash('sha256', fold(question.trim()), 'base64url');
}
