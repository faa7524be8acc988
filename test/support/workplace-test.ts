import { it as base, expect } from 'vitest';
import { Workplace } from './processes.ts';
import { Home } from './terminal-world.ts';

/** Tests with a `workplace` of their own. */
export const it = base.extend('workplace', ({}, { onCleanup }) => {
  const workplace = new Workplace();
  onCleanup(() => workplace.remove());
  return workplace;
});

/** Runs a command of the profile `sandbox` of a workplace in this process, which is faster. It prepares or reads what a test needs. */
export async function sandbox(workplace: Workplace, ...argv: string[]): Promise<string> {
  const home = new Home(workplace.path);
  home.now = Date.now();
  const { code, stdout, stderr } = await home.sandbox(...argv);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stdout;
}
