import { it as base } from 'vitest';
import { Home } from './terminal-world.ts';

/** Tests with a `home` that those of a file share, whose environment is `env`. */
export const it = base
  .extend('env', { scope: 'file' }, {} as Record<string, string>)
  .extend('home', { scope: 'file' }, ({ env }, { onCleanup }) => {
    const home = new Home();
    home.env = { ...env };
    onCleanup(() => home.remove());
    return home;
  });
