import { migration } from '../store/migration.ts';

/** Lets a single statement reserve a portion of a window and return its size. */
export const ratePortions = migration('rate portions', () => ['alter table rate_windows add column portion bigint not null default 0']);
