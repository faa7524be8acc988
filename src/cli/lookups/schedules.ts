import { getSchedule, listSchedules } from '../../contract/areas/schedules/endpoints.ts';
import { lookup } from '../verb/lookup.ts';

/** Scheduled tasks by name. */
export const scheduleLookup = lookup(listSchedules, 'scheduled_tasks', 'name', {
  what: 'scheduled task',
  record: 'scheduled_task',
  get: getSchedule,
});
