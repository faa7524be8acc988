import { it as base } from 'vitest';
import { Workplace } from './processes.ts';

/** Tests with a `workplace` of their own. */
export const it = base.extend('workplace', ({}, { onCleanup }) => {
  const workplace = new Workplace();
  onCleanup(() => workplace.remove());
  return workplace;
});
