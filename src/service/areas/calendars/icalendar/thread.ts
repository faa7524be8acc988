// The thread that reads iCalendar text. A rule such as the 30th of February makes the library search forever; the service then
// terminates the thread.
import { loadZones } from '../../../../contract/time/zones.ts';
import { answerQuestions } from '../../../flow/answer-questions.ts';
import type { ICalendarTask } from './read.ts';
import { ICalendarReader, type ICalendarResult } from './reader.ts';

answerQuestions(answer);

async function answer({ text, now, timezone, endless, unreadFrom, progress }: ICalendarTask): Promise<ICalendarResult> {
  const endlessRules = new Set<string>();
  const begin = (index: number, rule: string) => {
    Atomics.store(progress, 0, index);
    if (endless.includes(index)) endlessRules.add(rule);
    if (endlessRules.has(rule)) return 'its rule never applies, or repeats too often';
    return rule !== '' && index >= unreadFrom ? 'its rule was not read: too many rules never apply, or repeat too often' : undefined;
  };
  return new ICalendarReader(await loadZones(), { now, timezone, begin }).read(text);
}
