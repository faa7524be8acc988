import type { Area } from '../../area.ts';
import { scheduleHandlers } from './handlers.ts';
import { scheduledTask, scheduleFailpoints } from './job.ts';

/** Scheduled tasks: messages, broadcasts, tasks and tags, once or again and again. */
export const scheduleArea = {
  handlers: scheduleHandlers,
  jobs: { scheduled_task: scheduledTask },
  failpoints: scheduleFailpoints,
  rows: [{ table: 'scheduled_tasks' }],
} satisfies Area;
