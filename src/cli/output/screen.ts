import type { Output, World } from '../world.ts';

/** What a stream shows, and how. */
export interface Screen {
  /** The width of the terminal; null when the stream is not one. */
  readonly columns: number | null;
  readonly color: boolean;
  /** Whether it shows characters beyond ASCII, such as the lines of a border. */
  readonly unicode: boolean;
  /** Whether nothing is hidden, folded or rounded, whatever the width. */
  readonly wide: boolean;
  /** Reads the time that "3 min ago" counts from, in epoch milliseconds. */
  readonly now: () => number | Promise<number>;
  /** The user's time zone; the system's when undefined. */
  readonly timeZone: string | undefined;
}

/** The screen behind a stream. */
export function screenOf(stream: Output, { env, now }: World, wide = false): Screen {
  return {
    columns: stream.isTTY ? widthOf(stream) : null,
    color: wantsColor(stream, env),
    unicode: showsUnicode(env),
    wide,
    now,
    timeZone: env.TZ || undefined,
  };
}

/** The width of a terminal. Some say 0 when they do not know. */
export function widthOf({ columns }: Output): number {
  return (columns ?? 0) || 80;
}

/** The height of a terminal. Some say 0 when they do not know. */
export function heightOf({ rows }: Output): number {
  return (rows ?? 0) || 24;
}

/** Whether a stream gets colour: a terminal does. NO_COLOR turns it off, FORCE_COLOR on. */
function wantsColor(stream: Output, env: World['env']): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** Whether the terminal shows more than ASCII: not a dumb one, and not in a locale with another character set. */
export function showsUnicode(env: World['env']): boolean {
  if (env.TERM === 'dumb') return false;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return locale === undefined || /utf-?8/i.test(locale);
}
