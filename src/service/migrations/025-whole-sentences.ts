import { migration } from '../store/migration.ts';
import { fillIndexAgain } from './filling-again.ts';

/** Passages of whole sentences, with vectors of their own. */
export const wholeSentences = migration('0.3.0 whole sentences', () => ['delete from faq_vectors', ...fillIndexAgain('sentences')]);
