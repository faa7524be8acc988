import { migration } from '../store/migration.ts';
import { fillIndexAgain } from './filling-again.ts';

/** Japanese loan words, what is common in Japanese and Korean, and shorter passages in scripts without spaces. */
export const wordsWithoutSpaces = migration('0.3.0 words without spaces', () => ['delete from faq_vectors', ...fillIndexAgain('unspaced')]);
