import { migration } from '../store/migration.ts';
import { fillIndexAgain } from './filling-again.ts';

/** Whether the question of a FAQ has names. */
export const namesInQuestions = migration('0.3.0 names in questions', () => [
  'alter table faq_search add column has_names bigint not null default 0',
  ...fillIndexAgain('names'),
]);
