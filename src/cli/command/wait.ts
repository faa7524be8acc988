import { settle } from '../../contract/areas/sandbox/jobs.ts';
import { CliError, exitCodes } from '../errors.ts';
import { Progress, type ProgressPart } from '../output/progress.ts';
import type { Session } from './noun.ts';

/** The pauses between two requests, in milliseconds. Each is longer than the one before. */
const firstPause = 500;
const longestPause = 5_000;
const growth = 1.5;

/** What is waited for. */
interface Wait<State> {
  readonly read: () => Promise<State>;
  readonly isOver: (state: State) => boolean;
  /** Its progress in words. */
  readonly describe: (state: State) => string;
  /** The share that is done, from 0 to 1; null when it is unknown, as by default. */
  readonly shareOf?: (state: State) => number | null;
  /** What goes on when nobody waits for it any more, for the message: `the run`. */
  readonly what: string;
  /** How to look at it later: `msgctl kb status`. */
  readonly look?: string;
  /** What somebody must do before it goes on; undefined when it goes on by itself. */
  readonly hintOf?: (state: State) => string | undefined;
  /** The parts that it consists of, which are shown above it. */
  readonly partsOf?: (state: State) => readonly ProgressPart[];
  /** The longest wait, and the error when it was too short. */
  readonly limit?: { readonly milliseconds: number; readonly error: (state: State) => CliError };
}

/**
 * Reads something again and again until it is over. The embedded service, which does its work only while a command runs it,
 * does it meanwhile.
 * @throws CliError 130 when interrupted; it goes on, on the embedded service when that runs again
 */
export async function waitUntil<State>(
  { world, globals, targets }: Session,
  { read, isOver, describe, shareOf, partsOf, what, look, hintOf, limit }: Wait<State>,
): Promise<State> {
  const embedded = targets.resolve().baseUrl === null ? await targets.sandboxAtHand() : null;
  const progress = new Progress(world, globals.quiet);
  const interrupted = world.interrupted.then(() => 'interrupted' as const);
  const deadline = world.now() + (limit?.milliseconds ?? Infinity);
  let working: Promise<void> | null = null;
  let last: { readonly state: State } | undefined;
  const rest = () => void (working = null);
  const work = () => embedded?.call(settle, {}).then(rest, rest) ?? null;

  const unlessInterrupted = async <Value>(done: Promise<Value>): Promise<Value> => {
    const outcome = await Promise.race([done.then((value) => ({ value })), interrupted]);
    if (outcome === 'interrupted') throw stoppedError();
    return outcome.value;
  };
  const stoppedError = () => {
    const needed = last && hintOf?.(last.state);
    const [rests, hint] =
      needed !== undefined
        ? ['does not go on by itself', needed]
        : embedded
          ? ['rests until the embedded service runs again', '`msgctl sandbox settle` finishes it.']
          : ['goes on', look && `\`${look}\` shows the progress.`];
    return new CliError(exitCodes.interrupted, 'interrupted', `Stopped waiting; ${what} ${rests}.`, { hint });
  };

  try {
    for (let pause = firstPause; ; pause = Math.min(pause * growth, longestPause)) {
      // A failure means that the work does not end in time: it goes on.
      working ??= work();
      const state = await unlessInterrupted(read());
      if (isOver(state)) return state;
      last = { state };
      const left = deadline - world.now();
      if (limit && left <= 0) throw limit.error(state);
      progress.show(shareOf?.(state) ?? null, describe(state), partsOf?.(state));
      await unlessInterrupted(world.sleep(Math.min(pause, left)));
    }
  } finally {
    progress.clear();
  }
}
