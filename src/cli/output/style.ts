import type { Output, World } from '../world.ts';

/** How text for people is drawn. */
export interface Style {
  /** On a terminal, text fits into the width of the window; null elsewhere. */
  readonly terminal: { readonly columns: number } | null;
  readonly color: boolean;
  /** Whether characters beyond ASCII can be shown, such as blocks and lines. */
  readonly unicode: boolean;
}

/** The style of what is written to stdout. */
export function styleOf({ stdout, env }: World): Style {
  return {
    terminal: stdout.isTTY ? { columns: stdout.columns === 0 ? 80 : (stdout.columns ?? 80) } : null,
    color: wantsColor(stdout, env),
    unicode: showsUnicode(env),
  };
}

/** Whether a stream gets colour: a terminal does. NO_COLOR turns it off, FORCE_COLOR on. */
function wantsColor(stream: Output, env: World['env']): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** Whether the locale has more than ASCII. One that is not set says nothing against it. */
function showsUnicode(env: World['env']): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || 'UTF-8';
  return env.TERM !== 'dumb' && !/^(C|POSIX)$/i.test(locale);
}
