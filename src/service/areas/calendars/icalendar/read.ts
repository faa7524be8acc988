import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { invalidField } from '../../../errors.ts';
import { Semaphore } from '../../../semaphore.ts';
import type { ICalendarResult, ReadCalendar } from './reader.ts';

/** The input of `readICalendar`, for its thread. */
export interface ICalendarTask {
  readonly text: string;
  readonly now: number;
  readonly timezone: string;
  /** The indexes of events that never end. */
  readonly endless: readonly number[];
  /** Shared memory with the index of the event that is read, -1 before the first. */
  readonly progress: Int32Array;
}

/** The limits of processor time, in milliseconds: a rule that exceeds the first is assumed to never end. */
const processorTimeLimits = { event: 1_000, text: 5_000 };

/** The number of events that may never end: with each, the text is read once more. */
const endlessMax = 5;

/** The interval at which the processor time is checked, in real milliseconds. */
const watchInterval = 100;

/** Limits the number of texts that are read at the same time. */
const places = new Semaphore(2);

/** The memory limit for reading a text. */
const memoryMebibytes = 256;

/** The beginning of error messages about a text that cannot be read. */
const unreadable = 'cannot be read as iCalendar text';

const takesLong = { problem: `${unreadable}: events repeat too often, or their rules never apply` };

/** The entry point of the thread, which is a separate entry in the bundle. */
const program = new URL(import.meta.url.endsWith('.ts') ? './thread.ts' : '../icalendar-reader.mjs', import.meta.url);

/**
 * Reads the events of iCalendar text in a separate thread, because a text of a megabyte takes a second.
 * @param now occurrences of recurring events before this instant are left out, in epoch milliseconds
 * @param timezone the zone for times without a zone and for whole days, unless the text specifies one
 * @throws ApiError 400 when the text cannot be read
 */
export async function readICalendar(text: string, now: number, timezone: string): Promise<ReadCalendar> {
  const result = await places.run(() => readWithoutEndless({ text, now, timezone }));
  if ('problem' in result) throw invalidField('calendar.ics', result.problem);
  return result;
}

async function readWithoutEndless(task: Pick<ICalendarTask, 'text' | 'now' | 'timezone'>): Promise<ICalendarResult> {
  const endless: number[] = [];
  for (;;) {
    const result = await perform({ ...task, endless, progress: new Int32Array(new SharedArrayBuffer(4)).fill(-1) });
    if (!('endless' in result)) return result;
    if (endless.length === endlessMax) return takesLong;
    endless.push(result.endless);
  }
}

/** Reads a text. @returns the index of an event that never ends, if there is one */
async function perform(task: ICalendarTask): Promise<ICalendarResult | { readonly endless: number }> {
  const thread = new Worker(program, { workerData: task, resourceLimits: { maxOldGenerationSizeMb: memoryMebibytes } });
  const stopping = new AbortController();
  let latest = { index: -1, since: 0 };
  const watch = setInterval(() => {
    thread.cpuUsage().then(
      ({ user, system }) => {
        const time = (user + system) / 1_000;
        const index = Atomics.load(task.progress, 0);
        if (index !== latest.index) latest = { index, since: time };
        const isEndless = index >= 0 && time - latest.since > processorTimeLimits.event;
        if (isEndless || time > processorTimeLimits.text) stopping.abort(isEndless ? { endless: index } : takesLong);
      },
      // The thread has ended.
      () => {},
    );
  }, watchInterval);
  try {
    const [result] = (await once(thread, 'message', { signal: stopping.signal })) as [ICalendarResult];
    return result;
  } catch (error) {
    if (stopping.signal.aborted) return stopping.signal.reason as { endless: number };
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return { problem: `${unreadable}: it needs too much memory` };
    throw error;
  } finally {
    clearInterval(watch);
    await thread.terminate();
  }
}
