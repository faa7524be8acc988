import { settle } from '../../contract/areas/sandbox/endpoints.ts';
import { CliError, exitCodes } from '../errors.ts';
import { Progress } from '../output/progress.ts';
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
  /** What goes on when nobody waits for it any more, for the message: `the run`. */
  readonly what: string;
}

/**
 * Reads something again and again until it is over. The embedded service, which does its work only while a command runs it,
 * does it meanwhile.
 * @throws CliError 130 when interrupted; it goes on
 */
export async function waitUntil<State>(
  { world, globals, targets }: Session,
  { read, isOver, describe, what }: Wait<State>,
): Promise<State> {
  const embedded = targets.resolve().baseUrl === null ? await targets.sandboxAtHand() : null;
  const progress = new Progress(world, globals.quiet);
  const interrupted = world.interrupted.then(() => 'interrupted' as const);
  const stopped = () => new CliError(exitCodes.interrupted, 'interrupted', `Stopped waiting; ${what} goes on.`);
  try {
    for (let pause = firstPause; ; pause = Math.min(pause * growth, longestPause)) {
      await Promise.race([embedded?.call(settle, {}).catch(() => undefined), interrupted]);
      const state = await Promise.race([read().then((value) => ({ value })), interrupted]);
      if (state === 'interrupted') throw stopped();
      if (isOver(state.value)) return state.value;
      progress.show(null, describe(state.value));
      if ((await Promise.race([world.sleep(pause), interrupted])) === 'interrupted') throw stopped();
    }
  } finally {
    progress.clear();
  }
}
