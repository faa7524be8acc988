import { settle } from '../../contract/areas/sandbox/jobs.ts';
import { CliError, exitCodes } from '../errors.ts';
import { Progress, type ProgressPart } from '../output/progress.ts';
import type { Session } from './noun.ts';

/** The delays between two requests, in milliseconds. They increase up to a maximum. */
const firstPause = 500;
const longestPause = 5_000;
const growth = 1.5;

/** Describes what to wait for. */
interface Wait<State> {
  readonly read: () => Promise<State>;
  readonly isOver: (state: State) => boolean;
  /** Describes the progress. */
  readonly describe: (state: State) => string;
  /** The progress from 0 to 1; null if it is unknown, which is the default. */
  readonly shareOf?: (state: State) => number | null;
  /** What continues in the background if the user stops waiting, for the message: `the run`. */
  readonly what: string;
  /** The command that shows the progress later, such as `msgctl kb status`. */
  readonly look?: string;
  /** What the user must do before the work continues; undefined if it continues automatically. */
  readonly hintOf?: (state: State) => string | undefined;
  /** The progress of individual parts, which is shown above the total. */
  readonly partsOf?: (state: State) => readonly ProgressPart[];
  /** The maximum time to wait, and the error if it is exceeded. */
  readonly limit?: { readonly milliseconds: number; readonly error: (state: State) => CliError };
}

/**
 * Polls until something is over. The embedded service works only while a command runs it, so this runs its jobs at the same
 * time.
 * @throws CliError 130 if interrupted. The work continues in the background; on the embedded service, the next time it runs.
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
          ? ['is paused until the embedded service runs', '`msgctl sandbox settle` finishes it.']
          : ['goes on', look && `\`${look}\` shows the progress.`];
    return new CliError(exitCodes.interrupted, 'interrupted', `Stopped waiting; ${what} ${rests}.`, { hint });
  };

  try {
    for (let pause = firstPause; ; pause = Math.min(pause * growth, longestPause)) {
      // Restarted when it has ended or failed. A failure only means that the work did not end in time, so polling continues.
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
