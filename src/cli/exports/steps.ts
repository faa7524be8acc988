import { InterfaceError } from '../../client/errors.ts';
import { CliError, exitCodes } from '../errors.ts';
import type { ResultRow } from '../output/result.ts';
import type { World } from '../world.ts';

/** A part of what an export reads. */
interface Step {
  /** The state from which an interrupted run continues, as JSON. */
  readonly resume: ResultRow;
}

/** What an export tells that could not finish. */
export const kept = 'The rows that were read are kept. Run the same command again to continue.';

/**
 * Reads steps. If the rate limit lasts longer than the client's timeout, waits as long as the service asks and continues.
 * @param read reads from the state of a step on; from the beginning if there is none
 */
export async function* retryingWhenLimited<Each extends Step>(
  read: (resume: ResultRow | undefined) => AsyncGenerator<Each>,
  resume: ResultRow | undefined,
  world: World,
): AsyncGenerator<Each> {
  for (let from = resume; ;) {
    try {
      for await (const step of read(from)) {
        from = step.resume;
        yield step;
      }
      return;
    } catch (error) {
      if (!(error instanceof InterfaceError) || error.status !== 429 || error.clockFrozen) throw error;
      await world.sleep((error.retryAfter ?? 60) * 1_000);
    }
  }
}

/**
 * Reads steps until the user interrupts the command. It listens for the interrupt once: whoever waits for each step beside a promise
 * that stays open, as `Promise.race` does, keeps all of them in memory.
 * @throws CliError 130 when interrupted
 */
export async function* untilInterrupted<Each>(steps: AsyncGenerator<Each>, world: World): AsyncGenerator<Each> {
  let isInterrupted = false;
  let refuse = (_error: CliError) => {};
  void world.interrupted.then(() => {
    isInterrupted = true;
    refuse(interruptedError());
  });
  for (;;) {
    const next = await new Promise<IteratorResult<Each, unknown>>((resolve, reject) => {
      refuse = reject;
      if (isInterrupted) reject(interruptedError());
      steps.next().then(resolve, reject);
    });
    if (next.done) return;
    yield next.value;
  }
}

/** Waits for a promise. An interrupt is an error, so that the locks are released. @throws CliError 130 when interrupted */
export async function unlessInterrupted<Value>(given: Promise<Value>, world: World): Promise<Value> {
  const outcome = await Promise.race([given.then((value) => ({ value })), world.interrupted]);
  if (outcome) return outcome.value;
  throw interruptedError();
}

function interruptedError(): CliError {
  return new CliError(exitCodes.interrupted, 'interrupted', 'The export was interrupted', { hint: kept });
}
