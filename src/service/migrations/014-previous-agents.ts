import { migration } from '../store/migration.ts';

/** What the last published draft of an agent replaced. */
export const previousAgents = migration('0.3.0 previous versions of agents', () => ['alter table agents add column previous text']);
