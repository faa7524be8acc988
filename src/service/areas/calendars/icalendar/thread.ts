// The thread that reads iCalendar text. A rule such as the 30th of February makes the library search forever; the service then
// terminates the thread.
import { parentPort, workerData } from 'node:worker_threads';
import { loadZones } from '../../../../contract/zones.ts';
import type { ICalendarTask } from './read.ts';
import { ICalendarReader, type ICalendarResult } from './reader.ts';

parentPort?.postMessage(await answer(workerData as ICalendarTask));

async function answer({ text, now, timezone, endless, progress }: ICalendarTask): Promise<ICalendarResult> {
  const begin = (index: number) => {
    Atomics.store(progress, 0, index);
    return endless.includes(index) ? 'its rule never applies, or repeats too often' : undefined;
  };
  return new ICalendarReader(await loadZones(), { now, timezone, begin }).read(text);
}
