import type ical from 'ical.js';
import { type CalendarEvent, calendarEvent, calendarEventsMax, type LeftOut } from '../../../../contract/areas/sandbox/calendar.ts';
import { dayLength } from '../../../../contract/time/days.ts';
import { dateOf, dayOfLocalTime, type FindZone } from '../../../../contract/time/zones.ts';
import { ApiError } from '../../../errors.ts';
import { parseWith } from '../../../http/validation.ts';
import {
  componentOf,
  eventOf,
  idOf,
  isCanceled,
  localTimeOf,
  localTimeOfText,
  type Occasion,
  recurrenceOf,
  requireStart,
  textsOf,
  UnreadableEvent,
} from './components.ts';
import { calendarsOf, type ContentComponent } from './content.ts';
import { floating, type TextZone, TextZones } from './text-zones.ts';

/** How far into the future recurring events are expanded, and the maximum number of such events (rule sandbox.105). */
const horizon = { years: 1, events: 1_000 };

/** How much of an id is kept of an event that is left out. */
const uidMax = 1_000;

type Property = ical.Property;
type Component = ical.Component;

/** The exceptions of a series. */
interface Exceptions {
  /** The occurrences that are replaced, by their original start. */
  readonly replaced: Map<number, Occasion>;
  /** The occurrences that are replaced together with all later ones, in order. */
  readonly onward: readonly (readonly [from: number, occasion: Occasion])[];
}

/** What a text has. */
export interface ReadCalendar {
  readonly events: readonly CalendarEvent[];
  /** The events that cannot be read. */
  readonly leftOut: readonly LeftOut[];
}

/** What a text has, or why it cannot be read, as the rest of a sentence. */
export type ICalendarResult = ReadCalendar | { readonly problem: string };

/** The circumstances under which a text is read. */
interface Circumstances {
  /** Occurrences of recurring events before this instant are left out, in epoch milliseconds. */
  readonly now: number;
  /** The zone for times without a zone and for whole days, unless the text has one. */
  readonly timezone: string;
  /** Is called before the events with the same id are read, with their index and rule. Returns why they are not to be read, if so. */
  readonly begin: (index: number, rule: string) => string | undefined;
}

/** Reads the events of iCalendar text. */
export class ICalendarReader {
  readonly #findZone: FindZone;
  readonly #circumstances: Circumstances;
  readonly #until: number;
  readonly #zones = new Map<Component, TextZones>();
  readonly #leftOut: LeftOut[] = [];
  /** The number of events so far, for the ids of those without one. */
  #count = 0;

  constructor(findZone: FindZone, circumstances: Circumstances) {
    this.#findZone = findZone;
    this.#circumstances = circumstances;
    const end = new Date(circumstances.now);
    this.#until = end.setUTCFullYear(end.getUTCFullYear() + horizon.years);
  }

  read(text: string): ICalendarResult {
    const calendars = calendarsOf(text);
    if (calendars.length === 0) return { problem: 'is not iCalendar text: it has no VCALENDAR' };
    const components = calendars.flatMap((calendar) => this.#eventsOf(calendar));
    if (components.length + this.#leftOut.length > calendarEventsMax) return tooMany;
    const single: CalendarEvent[] = [];
    const recurring: CalendarEvent[] = [];
    const series = [...Map.groupBy(components, ({ uid }) => uid)];
    for (const [index, [uid, each]] of series.entries()) {
      const reason = this.#circumstances.begin(index, ruleOf(each.map(({ component }) => component)));
      if (reason !== undefined) this.#leftOut.push({ uid, reason });
      else
        this.#readSeries(
          uid,
          each.map(({ component }) => component),
          { single, recurring },
        );
    }
    recurring.sort((a, b) => Date.parse(a.start) - Date.parse(b.start));
    const events = [...single, ...recurring.slice(0, horizon.events)];
    if (events.length > calendarEventsMax) return tooMany;
    return { events, leftOut: this.#leftOut };
  }

  /** The components of the events of a calendar, with their ids. */
  #eventsOf(calendar: ContentComponent): { uid: string; component: Component }[] {
    const zones = new TextZones(this.#findZone, this.#circumstances.timezone, calendar);
    const contents = calendar.components.filter(({ name }) => name === 'vevent');
    return contents.flatMap((content) => {
      this.#count += 1;
      const uid = (uidOf(content) ?? `event-${this.#count}`).slice(0, uidMax);
      return this.#attempt(uid, () => {
        const component = componentOf(content);
        this.#zones.set(component, zones);
        return [{ uid, component }];
      });
    });
  }

  /** The result of reading an event, or a part of it. What cannot be read is left out. */
  #attempt<Result>(uid: string, read: () => Result[]): Result[] {
    try {
      return read();
    } catch (error) {
      const isExplained = error instanceof UnreadableEvent || error instanceof ApiError;
      this.#leftOut.push({ uid, reason: isExplained ? error.message : 'it cannot be read' });
      return [];
    }
  }

  /** Reads the events with the same id. */
  #readSeries(uid: string, components: readonly Component[], events: { single: CalendarEvent[]; recurring: CalendarEvent[] }): void {
    const repeats = (each: Component) => each.hasProperty('rrule') || each.hasProperty('rdate');
    const masters = components.filter((each) => !each.hasProperty('recurrence-id'));
    const exceptions = components.filter((each) => each.hasProperty('recurrence-id'));
    const repeated = masters.find(repeats);
    const singles = masters.filter((each) => !repeats(each) && !isCanceled(each));
    for (const each of singles) events.single.push(...this.#attempt(uid, () => [checked(eventOf(uid, this.#occasion(each)))]));
    if (repeated) {
      const readable = exceptions.flatMap((each) => this.#attempt(uid, () => this.#exception(each)));
      events.recurring.push(...this.#attempt(uid, () => this.#expand(uid, repeated, exceptionsOf(readable))));
      return;
    }
    // Exceptions to a series whose main event is not in the text.
    for (const each of exceptions.filter((exception) => !isCanceled(exception)))
      events.single.push(...this.#attempt(uid, () => [checked(eventOf(idOf(uid, this.#recurrenceId(each)), this.#occasion(each)))]));
  }

  /** The occurrences of a series within the horizon. */
  #expand(uid: string, master: Component, { replaced, onward }: Exceptions): CalendarEvent[] {
    if (isCanceled(master)) return [];
    const first = this.#occasion(master);
    const excluded = this.#excluded(master);
    const events: CalendarEvent[] = [];
    const add = (original: number, occasion: Occasion, sequence: number) => {
      if (isCanceled(occasion.component) || occasion.start < this.#circumstances.now || occasion.start >= this.#until) return;
      events.push(checked({ ...eventOf(idOf(uid, original), occasion), recurrence: recurrenceOf(uid, master, sequence) }));
    };
    let sequence = 0;
    for (const start of this.#starts(master)) {
      sequence += 1;
      if (excluded(start)) continue;
      const [from, changed] = onward.findLast(([since]) => since <= start) ?? [first.start, first];
      const usual = { ...changed, start: start + changed.start - from, end: start + changed.end - from };
      add(start, replaced.get(start) ?? usual, sequence);
      replaced.delete(start);
      if (events.length >= horizon.events) break;
    }
    // Occurrences that were moved into the horizon.
    for (const [start, occasion] of replaced) add(start, occasion, sequence);
    return events;
  }

  /** The starts of a series, from its rules and its additional dates, up to the horizon. */
  *#starts(master: Component): Generator<number> {
    const property = requireStart(master);
    const zone = this.#zoneOf(property);
    const further = master.getAllProperties('rdate').flatMap((each) => this.#instantsOf(each));
    const rules = master.getAllProperties('rrule');
    if (rules.length === 0) yield* [...new Set([this.#instantOf(property), ...further])].sort((a, b) => a - b);
    const seen = new Set<number>();
    for (const each of rules) {
      const rule = (each.getFirstValue() as ical.Recur).clone();
      if (rule.until) rule.until = floating(this.#endOfRule(rule.until, zone));
      const steps = rule.iterator(floating(localTimeOf(property)));
      for (let next = steps.next(); next; next = steps.next()) {
        const start = zone.instantFrom(localTimeOfText(next.toString()));
        if (start >= this.#until) break;
        if (!seen.has(start)) yield start;
        if (rules.length > 1 || further.length > 0) seen.add(start);
      }
    }
    if (rules.length > 0) yield* further.filter((start) => !seen.has(start));
  }

  /** The last local time of a rule. An end date includes the whole day. */
  #endOfRule(until: ical.Time, zone: TextZone): number {
    const text = until.toString();
    if (!text.includes('T')) return localTimeOfText(text) + dayLength - 1_000;
    return text.endsWith('Z') ? zone.localTime(Date.parse(text)) : localTimeOfText(text);
  }

  #exception(component: Component): Exception[] {
    const isOnward = component.getFirstProperty('recurrence-id')?.getFirstParameter('range') === 'THISANDFUTURE';
    return [{ original: this.#recurrenceId(component), occasion: this.#occasion(component), isOnward }];
  }

  /** Returns whether a start is excluded, by instant or by day. */
  #excluded(master: Component): (start: number) => boolean {
    const properties = master.getAllProperties('exdate');
    const zone = this.#zoneOf(requireStart(master));
    const instants = new Set(properties.flatMap((each) => this.#instantsOf(each)));
    const dates = new Set(properties.flatMap(textsOf).filter((text) => !text.includes('T')));
    return (start) => instants.has(start) || (dates.size > 0 && dates.has(dateOf(dayOfLocalTime(zone.localTime(start)))));
  }

  #occasion(component: Component): Occasion {
    const from = requireStart(component);
    const start = this.#instantOf(from);
    const to = component.getFirstProperty('dtend');
    if (to) return { component, start, end: this.#instantOf(to) };
    const duration = component.getFirstPropertyValue('duration') as ical.Duration | null;
    if (duration) return { component, start, end: start + duration.toSeconds() * 1_000 };
    return { component, start, end: from.type === 'date' ? this.#zoneOf(from).instantFrom(localTimeOf(from) + dayLength) : start };
  }

  #recurrenceId(component: Component): number {
    return this.#instantOf(component.getFirstProperty('recurrence-id') as Property);
  }

  #instantOf(property: Property): number {
    return this.#instantsOf(property)[0] as number;
  }

  #instantsOf(property: Property): number[] {
    const zone = this.#zoneOf(property);
    return textsOf(property).map((text) => (text.endsWith('Z') ? Date.parse(text) : zone.instantFrom(localTimeOfText(text))));
  }

  #zoneOf(property: Property): TextZone {
    return (this.#zones.get(property.parent) as TextZones).of(property);
  }
}

/** A changed or canceled occurrence of a series, with its start by the rule. */
interface Exception {
  readonly original: number;
  readonly occasion: Occasion;
  /** Whether all later occurrences are changed too. */
  readonly isOnward: boolean;
}

function exceptionsOf(exceptions: readonly Exception[]): Exceptions {
  const onward = exceptions.filter(({ isOnward }) => isOnward).map(({ original, occasion }) => [original, occasion] as const);
  return {
    replaced: new Map(exceptions.map(({ original, occasion }) => [original, occasion])),
    onward: onward.sort(([a], [b]) => a - b),
  };
}

/** The rule of a series; empty without one. A rule that repeats within days also depends on when it begins. */
function ruleOf(components: readonly Component[]): string {
  const properties = components.flatMap((each) => {
    const rules = each.getAllProperties('rrule');
    const isFrequent = rules.some((rule) => /FREQ=(SECOND|MINUTE|HOUR)LY/i.test(rule.toICALString()));
    return isFrequent ? [...rules, ...each.getAllProperties('dtstart')] : rules;
  });
  return properties.map((each) => each.toICALString()).join('\n');
}

/** The id of an event, which is known even if the event cannot be read. */
function uidOf({ lines }: ContentComponent): string | undefined {
  const written = lines.map((line) => /^UID(?:;[^:]*)?:(.*)$/is.exec(line)?.[1]?.trim()).find((uid) => uid);
  return written?.replace(/\\([\\;,])/g, '$1');
}

const tooMany = { problem: `has more than ${calendarEventsMax} events` };

const schema = calendarEvent();

/** @throws ApiError 400 when an event has more than a calendar takes */
function checked(event: CalendarEvent): CalendarEvent {
  return parseWith(schema, event, 'event');
}
