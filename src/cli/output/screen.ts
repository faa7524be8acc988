import type { Output, World } from '../world.ts';

/** The display properties of a stream. */
export interface Screen {
  /** The width of the terminal; null if the stream is not a terminal. */
  readonly columns: number | null;
  readonly color: boolean;
  /** Whether it can display non-ASCII characters, such as box-drawing lines. */
  readonly unicode: boolean;
  /** Whether nothing is hidden, wrapped or rounded, regardless of the width. */
  readonly wide: boolean;
  /** Reads the time to which "3 min ago" is relative, in epoch milliseconds. */
  readonly now: () => number | Promise<number>;
  /** The user's time zone; the system's when undefined. */
  readonly timeZone: string | undefined;
}

/**
 * The display properties of a stream.
 * @param now reads the time to which "3 min ago" is relative; the system time by default
 */
export function screenOf(stream: Output, world: World, wide = false, now: Screen['now'] = world.now): Screen {
  const { env } = world;
  return {
    columns: stream.isTTY ? widthOf(stream) : null,
    color: wantsColor(stream, env),
    unicode: showsUnicode(env),
    wide,
    now,
    timeZone: env.TZ || undefined,
  };
}

/** The width of a terminal. Some terminals report 0 if they do not know it. */
export function widthOf({ columns }: Output): number {
  return (columns ?? 0) || 80;
}

/** The height of a terminal. Some terminals report 0 if they do not know it. */
export function heightOf({ rows }: Output): number {
  return (rows ?? 0) || 24;
}

/** Whether to use colour: on terminals by default. NO_COLOR turns it off, FORCE_COLOR on. */
function wantsColor(stream: Output, env: World['env']): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** Whether a terminal can display non-ASCII characters: not if it is a dumb terminal or the locale has another character set. */
export function showsUnicode(env: World['env']): boolean {
  if (env.TERM === 'dumb') return false;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return locale === undefined || /utf-?8/i.test(locale);
}
