import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { CalendarEvent } from '../../../../contract/areas/sandbox/calendar.ts';
import { ApiError } from '../../../errors.ts';
import { Semaphore } from '../../../semaphore.ts';

/** The input of `readICalendar`, for its thread. */
export interface ICalendarTask {
  readonly text: string;
  readonly now: number;
  readonly timezone: string;
}

/** The events of a text, or a sentence that explains why the text cannot be read. */
export type ICalendarResult = { readonly events: CalendarEvent[] } | { readonly problem: string };

/** The limit of processor time, in milliseconds. A rule that exceeds it is assumed to never end. */
const processorTimeLimit = 3_000;

/** The interval at which the processor time is checked, in real milliseconds. */
const watchInterval = 100;

/** Limits the number of texts that are read at the same time. */
const places = new Semaphore(2);

/** The memory limit for reading a text. */
const memoryMebibytes = 256;

/** The beginning of error messages about a text that cannot be read. */
export const unreadable = 'calendar.ics: cannot be read as iCalendar text';

/** The entry point of the thread, which is a separate entry in the bundle. */
const program = new URL(import.meta.url.endsWith('.ts') ? './thread.ts' : '../icalendar-reader.mjs', import.meta.url);

/**
 * Reads the events of iCalendar text in a separate thread, because a text of a megabyte takes a second.
 * @param now occurrences of recurring events before this instant are left out, in epoch milliseconds
 * @param timezone the zone for times without a zone and for whole days, unless the text specifies one
 * @throws ApiError 400 when the text cannot be read
 */
export async function readICalendar(text: string, now: number, timezone: string): Promise<CalendarEvent[]> {
  const result = await places.run(() => perform({ text, now, timezone }));
  if ('problem' in result) throw new ApiError(400, result.problem);
  return result.events;
}

async function perform(task: ICalendarTask): Promise<ICalendarResult> {
  const thread = new Worker(program, { workerData: task, resourceLimits: { maxOldGenerationSizeMb: memoryMebibytes } });
  const stopping = new AbortController();
  const watch = setInterval(() => {
    thread.cpuUsage().then(
      ({ user, system }) => {
        if ((user + system) / 1_000 > processorTimeLimit) stopping.abort();
      },
      // The thread has ended.
      () => {},
    );
  }, watchInterval);
  try {
    const [result] = (await once(thread, 'message', { signal: stopping.signal })) as [ICalendarResult];
    return result;
  } catch (error) {
    if ((error as Error).name === 'AbortError') return { problem: `${unreadable}: an event repeats too often, or its rule never applies` };
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return { problem: `${unreadable}: it needs too much memory` };
    throw error;
  } finally {
    clearInterval(watch);
    await thread.terminate();
  }
}
