import { getTask, listTasks } from '../../contract/areas/tasks/endpoints.ts';
import { lookup } from '../verb/lookup.ts';

/** Tasks by title. */
export const taskLookup = lookup(listTasks, 'tasks', 'title', { get: getTask });
