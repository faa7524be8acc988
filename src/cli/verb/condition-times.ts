import { parseInstant } from '../../contract/time/instants.ts';
import type { Vocabulary } from '../output/conditions.ts';
import type { Session } from './noun.ts';
import { readWhen } from './when.ts';

/** How the times in conditions are read: a duration such as `7d` is that long ago. */
export function timesOf(session: Pick<Session, 'serviceTime' | 'world'>): Pick<Vocabulary, 'readTime' | 'timeZone'> {
  return {
    readTime: async (text) => parseInstant(await readWhen(text, 'back', session)) as number,
    timeZone: session.world.env.TZ || undefined,
  };
}
