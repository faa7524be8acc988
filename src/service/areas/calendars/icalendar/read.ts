import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { CalendarEvent } from '../../../../contract/areas/sandbox/calendar.ts';
import { ApiError } from '../../../errors.ts';
import { Semaphore } from '../../../semaphore.ts';

/** Text to be read; see `readICalendar`. */
export interface ICalendarTask {
  readonly text: string;
  readonly now: number;
  readonly timezone: string;
}

/** The events of a text, or the sentence that says why there are none. */
export type ICalendarResult = { readonly events: CalendarEvent[] } | { readonly problem: string };

/** The processor time after which a rule is taken for one that never ends, in milliseconds. */
const patience = 3_000;

/** How often the processor time is read, in real milliseconds. */
const watchInterval = 100;

/** How many texts are read at a time. */
const places = new Semaphore(2);

/** The memory that a text may take. */
const memoryMebibytes = 256;

/** How the sentence about a text that cannot be read begins. */
export const unreadable = 'calendar.ics: cannot be read as iCalendar text';

/** The program of the thread: in the bundle, an entry of its own. */
const program = new URL(import.meta.url.endsWith('.ts') ? './thread.ts' : '../icalendar-reader.mjs', import.meta.url);

/**
 * Reads the events of iCalendar text, in a thread of its own, because a text of a megabyte takes a second.
 * @param now recurring events are taken from then on, in epoch milliseconds
 * @param timezone the zone of times without one, and of whole days, unless the text names one
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
        if ((user + system) / 1_000 > patience) stopping.abort();
      },
      // It has ended.
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
