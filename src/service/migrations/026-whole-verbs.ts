import { migration } from '../store/migration.ts';
import { fillIndexAgain } from './filling-again.ts';

/** German verbs with their particles, numbers without their units, and more sentences as they are written. */
export const wholeVerbs = migration('0.3.0 whole verbs', () => ['delete from faq_vectors', ...fillIndexAgain('verbs')]);
