import { migration } from '../store/migration.ts';

/** What FAQs of sources were drafted as, so that a refresh keeps what was edited since. */
export const drafts = migration('drafts', () => ['alter table faqs add column drafted text']);
