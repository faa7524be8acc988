import { firstCharacters } from '../../../contract/text/first-characters.ts';
import { limits } from '../../../contract/limits.ts';
import { dayLength } from '../../../contract/time/days.ts';
import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import { dayOf } from '../activity/counts.ts';
import type { Journal } from '../activity/journal.ts';
import { completeTask, createTask, reopenTask } from '../tasks/records.ts';
import { tasks } from '../tasks/table.ts';
import { type Gap, gaps } from './table.ts';

/** How long the account has to answer, in days. */
const daysToAnswer = 7;

/** Makes the task to answer an open gap that several contacts asked, unless it has had one or the day has had its share. */
export async function askForAnswer(db: Db, journal: Journal, gap: Gap): Promise<void> {
  if (gap.status !== 'open' || gap.task_day !== null || (await someAskers(db, { gap: gap.id })).length < 2) return;
  const { account, now } = journal;
  const day = dayOf(now);
  if ((await tasksOfDay(db, { account: account.id, day, limit: limits.gapTasksPerDay })).length >= limits.gapTasksPerDay) return;
  const task = await createTask(db, journal, { title: taskTitle(gap.question), due_at: now + daysToAnswer * dayLength });
  await gaps.setColumns(db, gap, { task_id: task.id, task_day: day });
}

/** The title of the task to answer a question. */
export function taskTitle(question: string): string {
  const title = `Answer: ${question.replace(/\s+/gu, ' ')}`;
  return title.length <= limits.nameLength ? title : `${firstCharacters(title, limits.nameLength - 1)}…`;
}

/** Completes the task of a gap that was answered or dismissed. */
export async function completeTaskOf(db: Db, journal: Journal, { task_id: id }: Gap): Promise<void> {
  const task = id === null ? undefined : await tasks.find(db, journal.account.id, id);
  if (task) await completeTask(db, journal, task);
}

/** Opens the task of a gap that is open again. */
export async function reopenTaskOf(db: Db, journal: Journal, { task_id: id }: Gap): Promise<void> {
  const task = id === null ? undefined : await tasks.find(db, journal.account.id, id);
  if (task) await reopenTask(db, journal, task);
}

const someAskers = prepared<{ gap: string }, { contact_id: string }>((db, $) =>
  db.selectFrom('gap_contacts').select('contact_id').where('gap_id', '=', $.gap).limit(2),
);

const tasksOfDay = prepared<{ account: string; day: number; limit: number }, { id: string }>((db, $) =>
  db.selectFrom('knowledge_gaps').select('id').where('account_id', '=', $.account).where('task_day', '=', $.day).limit($.limit),
);
