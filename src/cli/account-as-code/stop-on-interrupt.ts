import type { Session } from '../command/noun.ts';

/** How long another signal can be the same Ctrl-C, which the program that started this one passes on, in milliseconds. */
const echo = 500;

/**
 * From now on, an interrupt only asks a run to stop after the current change. The next one ends the process at once.
 * @returns whether the run is to stop
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
