import type { Session } from '../verb/noun.ts';

/** How long a second signal is treated as the same Ctrl-C, in milliseconds. A parent process may forward the signal. */
const echo = 500;

/**
 * From now on, an interrupt stops the run after the current change. A second one ends the process immediately.
 * @returns a function that returns whether to stop the run
 */
export function stopOnInterrupt({ world, notes }: Session): () => boolean {
  let isAsked = false;
  void world.interrupted.then(async () => {
    isAsked = true;
    notes.say('Stopping after the current change. Press Ctrl-C again to stop at once.');
    await world.sleep(echo);
    world.endAtNextSignal();
  });
  return () => isAsked;
}
