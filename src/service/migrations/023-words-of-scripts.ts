import { migration } from '../store/migration.ts';
import { fillIndexAgain } from './filling-again.ts';

/** Words of texts without spaces, and of more languages. */
export const wordsOfScripts = migration('0.3.0 words of scripts', () => fillIndexAgain('words'));
