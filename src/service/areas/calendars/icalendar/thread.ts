// The thread that reads iCalendar text. A rule such as the 30th of February makes the library search forever; the service then
// terminates the thread.
import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { calendarEvent, calendarEventsMax } from '../../../../contract/areas/sandbox/calendar.ts';
import { loadZones } from '../../../../contract/zones.ts';
import { ApiError } from '../../../errors.ts';
import { parseField } from '../../../http/validation.ts';
import { type ICalendarResult, type ICalendarTask, unreadable } from './read.ts';
import { ICalendarReader } from './reader.ts';

/** The maximum length of the library's error message, which can quote the text. */
const problemMax = 200;

parentPort?.postMessage(await answer(workerData as ICalendarTask));

async function answer({ text, now, timezone }: ICalendarTask): Promise<ICalendarResult> {
  const reader = new ICalendarReader(await loadZones(), now, timezone);
  try {
    // The size is checked in the thread: each event of a series repeats its texts, so the copies could fill the memory of the
    // service.
    return { events: parseField(z.array(calendarEvent()).max(calendarEventsMax), reader.read(text), 'calendar.ics') };
  } catch (error) {
    const { message } = error as Error;
    return { problem: error instanceof ApiError ? message : `${unreadable}: ${message.slice(0, problemMax)}` };
  }
}
