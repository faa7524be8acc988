import { migration } from '../store/migration.ts';

/** Lets one statement reserve a portion of a window and report it. */
export const ratePortions = migration('rate portions', () => ['alter table rate_windows add column portion bigint not null default 0']);
