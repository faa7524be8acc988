// The thread that reads iCalendar text. A rule such as the 30th of February makes the library search forever; the service
// then ends the thread.
import { parentPort, workerData } from 'node:worker_threads';
import { loadZones } from '../../../../contract/zones.ts';
import type { ICalendarResult, ICalendarTask } from './read.ts';
import { ICalendarReader } from './reader.ts';

parentPort?.postMessage(await answer(workerData as ICalendarTask));

async function answer({ text, now, timezone }: ICalendarTask): Promise<ICalendarResult> {
  const reader = new ICalendarReader(await loadZones(), now, timezone);
  try {
    return { events: reader.read(text) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
