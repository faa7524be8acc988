// A thread that reads reports on contacts with tags.
import { answerTasks } from '../../store/read-thread.ts';
import { readPart, type TagReport } from './tag-reports.ts';

answerTasks(async (readStep, report, part) => await readPart(readStep, report as TagReport, part));
