import { it as base } from 'vitest';
import { Home } from './terminal-world.ts';

/** Tests with a `home` of their own, whose environment is `env`. */
export const it = base.extend('env', {} as Record<string, string>).extend('home', ({ env }, { onCleanup }) => {
  const home = new Home();
  home.env = { ...env };
  onCleanup(() => home.remove());
  return home;
});
