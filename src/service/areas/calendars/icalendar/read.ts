import { invalidField } from '../../../errors.ts';
import { Semaphore } from '../../../flow/shares.ts';
import { OutOfMemory, programOf, Thread } from '../../../flow/thread.ts';
import type { ICalendarResult, ReadCalendar } from './reader.ts';

/** The input of `readICalendar`, for its thread. */
export interface ICalendarTask {
  readonly text: string;
  readonly now: number;
  readonly timezone: string;
  /** The indexes of events that never end. */
  readonly endless: readonly number[];
  /** The index from which no rules are read. */
  readonly unreadFrom: number;
  /** Shared memory with the index of the event that is read, -1 before the first. */
  readonly progress: Int32Array;
}

/** The limits of processor time, in milliseconds: a rule that exceeds the first is assumed to never end. */
const processorTimeLimits = { event: 1_000, text: 5_000 };

/** The number of events that may never end: with each, the text is read once more. From the next one on, no rules are read. */
const endlessMax = 5;

/** The interval at which the processor time is checked, in real milliseconds. */
const watchInterval = 100;

/** How long a thread without a text is kept, in real milliseconds. Starting one takes longer than reading most texts. */
const idleLimit = 5_000;

/** Limits the number of texts that are read at the same time. */
const places = new Semaphore(2);

/** The memory limit for reading a text. */
const memoryMebibytes = 256;

/** The beginning of error messages about a text that cannot be read. */
const unreadable = 'cannot be read as iCalendar text';

const takesLong = { problem: `${unreadable}: events repeat too often, or their rules never apply` };

type ReadingThread = Thread<ICalendarTask, ICalendarResult>;

/** The threads without a text, the processor time that each has used, and the timers that end them. */
const idle: { readonly thread: ReadingThread; readonly used: number; readonly end: NodeJS.Timeout }[] = [];

const program = programOf(import.meta.url, './thread.ts', 'icalendar-reader');

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
  let unreadFrom = Infinity;
  for (;;) {
    const result = await perform({ ...task, endless, unreadFrom, progress: new Int32Array(new SharedArrayBuffer(4)).fill(-1) });
    if (!('stoppedAt' in result)) return result;
    const { stoppedAt, isEndless } = result;
    if (stoppedAt < 0 || unreadFrom < Infinity) return takesLong;
    if (isEndless && endless.length < endlessMax) endless.push(stoppedAt);
    else unreadFrom = stoppedAt;
  }
}

/** An event at which reading was stopped, and whether it never ends; otherwise the text takes long. */
interface Stop {
  readonly stoppedAt: number;
  readonly isEndless: boolean;
}

/** Reads a text, until that takes too long. */
async function perform(task: ICalendarTask): Promise<ICalendarResult | Stop> {
  const { thread, begun } = await takeThread();
  const stopped = Promise.withResolvers<Stop>();
  // The last attempt has to get beyond where the one before was stopped.
  const limit = processorTimeLimits.text * (task.unreadFrom < Infinity ? 2 : 1);
  let latest = { index: -1, since: begun };
  const watch = setInterval(() => {
    thread.processorTime().then(
      (time) => {
        const index = Atomics.load(task.progress, 0);
        if (index !== latest.index) latest = { index, since: time };
        const isEndless = index >= 0 && time - latest.since > processorTimeLimits.event;
        if (isEndless || time - begun > limit) stopped.resolve({ stoppedAt: index, isEndless });
      },
      // The thread has ended.
      () => {},
    );
  }, watchInterval);
  try {
    const result = await Promise.race([thread.ask(task), stopped.promise]);
    if ('stoppedAt' in result) await thread.end();
    else await keep(thread);
    return result;
  } catch (error) {
    if (error instanceof OutOfMemory) return { problem: `${unreadable}: it needs too much memory` };
    throw error;
  } finally {
    clearInterval(watch);
  }
}

/** Takes a thread, with the processor time that it has used. */
async function takeThread(): Promise<{ thread: ReadingThread; begun: number }> {
  const waiting = idle.pop();
  if (!waiting) return { thread: await Thread.start(program, memoryMebibytes), begun: 0 };
  clearTimeout(waiting.end);
  return { thread: waiting.thread, begun: waiting.used };
}

/**
 * Keeps a thread for the next text for a while. Its processor time is asked for here, where the timer of the last text keeps the
 * program running: a thread alone does not.
 */
async function keep(thread: ReadingThread): Promise<void> {
  const used = await thread.processorTime();
  const end = setTimeout(() => {
    idle.splice(
      idle.findIndex((waiting) => waiting.thread === thread),
      1,
    );
    void thread.end();
  }, idleLimit);
  idle.push({ thread, used, end: end.unref() });
}
