import { pastForms } from '../verb/values.ts';
import type { Session } from '../verb/noun.ts';
import { readWhen } from '../verb/when.ts';

const ofTime = {
  placeholder: 'when',
  resolve: (value: unknown, session: Session) => readWhen(value as string, 'back', session),
} as const;

/** The options for the period of a list. @param what what happened in it, such as `only messages` */
export function pastPeriod(what: string) {
  return [
    { ...ofTime, field: 'from', flag: 'since', summary: `${what} at this time or later: ${pastForms}` },
    { ...ofTime, field: 'to', flag: 'until', summary: `${what} at this time or earlier` },
  ] as const;
}
