// Divides iCalendar text into components and their lines. What is damaged does not keep the rest from being read.

/** A component of iCalendar text. */
export interface ContentComponent {
  /** In lower case. */
  readonly name: string;
  /** Its own lines, unfolded. */
  readonly lines: string[];
  readonly components: ContentComponent[];
  /** Whether it has no END, which does no harm directly in a calendar, or an END without BEGIN in it. */
  isBroken: boolean;
}

/** The components that are directly in a calendar. */
const ofCalendars = new Set(['vevent', 'vtodo', 'vjournal', 'vfreebusy', 'vtimezone']);

function component(name: string): ContentComponent {
  return { name, lines: [], components: [], isBroken: false };
}

/** The lines of a text, unfolded. What follows a BEGIN or an END does not belong to it. */
function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const last = lines.at(-1);
    if (/^[ \t]/.test(line) && last !== undefined && !/^(?:BEGIN|END):/i.test(last)) lines[lines.length - 1] = last + line.slice(1);
    else lines.push(line);
  }
  return lines;
}

/** The calendars of a text. Events outside of calendars are in one of their own. */
export function calendarsOf(text: string): readonly ContentComponent[] {
  const root = component('');
  const open = [root];
  /** The number of lines that the open calendar had before what may be an event whose BEGIN is missing. */
  let before = 0;
  const top = () => open.at(-1) ?? root;
  const begin = (name: string) => {
    const begun = component(name);
    top().components.push(begun);
    open.push(begun);
  };
  /** Ends components that have no END, so that a number of components stays open. */
  const endTo = (depth: number) => {
    for (const unended of open.splice(depth)) unended.isBroken ||= !ofCalendars.has(unended.name);
  };
  for (const line of linesOf(text)) {
    const [, marker, written = ''] = /^(BEGIN|END):\s*([\w-]+)\s*$/i.exec(line) ?? [];
    const name = written.toLowerCase();
    if (marker === undefined) top().lines.push(line);
    else if (marker.toUpperCase() === 'BEGIN') {
      if (name === 'vcalendar') endTo(1);
      if (ofCalendars.has(name)) {
        endTo(open[1]?.name === 'vcalendar' ? 2 : 1);
        if (open.length === 1) {
          begin('vcalendar');
          top().lines.push(...root.lines);
        }
      }
      begin(name);
    } else {
      const index = open.findLastIndex((each) => each.name === name);
      if (index > 0) {
        endTo(index + 1);
        open.pop();
      } else if (name === 'vevent') {
        const lines = top().lines.slice(before);
        if (lines.some((line) => /^DTSTART[;:]/i.test(line))) top().components.push({ ...component(name), lines });
      } else top().isBroken = true;
    }
    if (name === 'vcalendar' || ofCalendars.has(name)) before = top().lines.length;
  }
  return root.components.filter((each) => each.name === 'vcalendar');
}
