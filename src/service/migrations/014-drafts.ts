import { migration } from '../store/migration.ts';

/** A digest of the drafted text of FAQs from sources, so that a refresh keeps later edits. */
export const drafts = migration('drafts', () => ['alter table faqs add column drafted text']);
