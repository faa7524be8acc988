import ical from 'ical.js';
import type { CalendarEvent } from '../../../../contract/areas/sandbox/calendar.ts';
import { isTimezone } from '../../../../contract/timezones.ts';
import { dayLength } from '../../../../contract/days.ts';
import { dateOf, dayOfLocalTime, type FindZone, type Zone } from '../../../../contract/zones.ts';
import {
  eventOf,
  idOf,
  isCanceled,
  type Occasion,
  recurrenceOf,
  requireStart,
  textsOf,
  localTimeOf,
  localTimeOfText,
} from './components.ts';

/** How far into the future recurring events are expanded, and the maximum number of such events (rule sandbox.105). */
const horizon = { years: 1, events: 1_000 };

type Property = ical.Property;
type Component = ical.Component;

/** A zone used in the text: known to the platform, or defined by the text. */
type TextZone = Pick<Zone, 'localTime' | 'instantFrom'>;

const utc: TextZone = { localTime: (instant) => instant, instantFrom: (localTime) => localTime };

/** The exceptions of a series. */
interface Exceptions {
  /** The occurrences that are replaced, by their original start. */
  readonly replaced: Map<number, Occasion>;
  /** The occurrences that are replaced together with all later ones, in order. */
  readonly onward: readonly (readonly [from: number, occasion: Occasion])[];
}

/** Events that were read: single ones, and the occurrences of series. */
interface Events {
  readonly single: readonly CalendarEvent[];
  readonly recurring: readonly CalendarEvent[];
}

/** Reads the events of iCalendar text. */
export class ICalendarReader {
  readonly #findZone: FindZone;
  readonly #now: number;
  readonly #until: number;
  readonly #zones = new Map<string, TextZone>();
  #usual: TextZone;

  /**
   * @param now occurrences of recurring events before this instant are left out, in epoch milliseconds
   * @param timezone the zone for times without a zone and for whole days, unless the text specifies one
   */
  constructor(findZone: FindZone, now: number, timezone: string) {
    this.#findZone = findZone;
    this.#now = now;
    const end = new Date(now);
    this.#until = end.setUTCFullYear(end.getUTCFullYear() + horizon.years);
    this.#usual = isTimezone(timezone) ? findZone(timezone) : utc;
  }

  /** @throws Error when the text cannot be read */
  read(text: string): CalendarEvent[] {
    const parsed = ical.parse(text.replace(/^\uFEFF/, '').trim()) as unknown[];
    const calendars = (Array.isArray(parsed[0]) ? parsed : [parsed]).map((each) => new ical.Component(each as never));
    const all = calendars.map((calendar) => this.#readCalendar(calendar));
    const recurring = all.flatMap((each) => each.recurring).sort((a, b) => Date.parse(a.start) - Date.parse(b.start));
    return [...all.flatMap((each) => each.single), ...recurring.slice(0, horizon.events)];
  }

  #readCalendar(calendar: Component): Events {
    if (calendar.name !== 'vcalendar') throw new Error('it begins with another component than VCALENDAR');
    for (const zone of calendar.getAllSubcomponents('vtimezone')) this.#defineZone(zone);
    const usual = calendar.getFirstPropertyValue('x-wr-timezone');
    if (typeof usual === 'string' && isTimezone(usual)) this.#usual = this.#findZone(usual);
    const series = Map.groupBy(calendar.getAllSubcomponents('vevent'), (event, index) =>
      String(event.getFirstPropertyValue('uid') || `event-${index + 1}`),
    );
    const all = [...series].map(([uid, components]) => this.#readSeries(uid, components));
    return { single: all.flatMap((each) => each.single), recurring: all.flatMap((each) => each.recurring) };
  }

  /** The events with the same id. */
  #readSeries(uid: string, components: readonly Component[]): Events {
    const repeats = (each: Component) => each.hasProperty('rrule') || each.hasProperty('rdate');
    const masters = components.filter((each) => !each.hasProperty('recurrence-id'));
    const exceptions = components.filter((each) => each.hasProperty('recurrence-id'));
    const repeated = masters.find(repeats);
    const single = masters.filter((each) => !repeats(each) && !isCanceled(each)).map((each) => eventOf(uid, this.#occasion(each)));
    if (repeated) return { single, recurring: this.#expand(uid, repeated, exceptions) };
    // Exceptions to a series whose main event is not in the text.
    const orphans = exceptions
      .filter((each) => !isCanceled(each))
      .map((each) => eventOf(idOf(uid, this.#recurrenceId(each)), this.#occasion(each)));
    return { single: [...single, ...orphans], recurring: [] };
  }

  /** The occurrences of a series within the horizon. */
  #expand(uid: string, master: Component, components: readonly Component[]): CalendarEvent[] {
    if (isCanceled(master)) return [];
    const first = this.#occasion(master);
    const { replaced, onward } = this.#exceptions(components);
    const excluded = this.#excluded(master);
    const events: CalendarEvent[] = [];
    const add = (original: number, occasion: Occasion, sequence: number) => {
      if (isCanceled(occasion.component) || occasion.start < this.#now || occasion.start >= this.#until) return;
      events.push({ ...eventOf(idOf(uid, original), occasion), recurrence: recurrenceOf(uid, master, sequence) });
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
      if (rule.until) rule.until = this.#floating(this.#endOfRule(rule.until, zone));
      const steps = rule.iterator(this.#floating(localTimeOf(property)));
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

  #floating(localTime: number): ical.Time {
    return ical.Time.fromDateTimeString(new Date(localTime).toISOString().slice(0, 19));
  }

  #exceptions(components: readonly Component[]): Exceptions {
    const replaced = new Map<number, Occasion>();
    const onward: [number, Occasion][] = [];
    for (const component of components) {
      const original = this.#recurrenceId(component);
      const occasion = this.#occasion(component);
      replaced.set(original, occasion);
      if (component.getFirstProperty('recurrence-id')?.getFirstParameter('range') === 'THISANDFUTURE') onward.push([original, occasion]);
    }
    return { replaced, onward: onward.sort(([a], [b]) => a - b) };
  }

  /** Returns whether a start is excluded, by instant or by day. */
  #excluded(master: Component): (start: number) => boolean {
    const properties = master.getAllProperties('exdate');
    const zone = this.#zoneOf(requireStart(master));
    const instants = new Set(properties.flatMap((each) => this.#instantsOf(each)));
    const dates = new Set(properties.filter(({ type }) => type === 'date').flatMap(textsOf));
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
    const name = property.getFirstParameter('tzid');
    if (!name) return textsOf(property)[0]?.endsWith('Z') ? utc : this.#usual;
    if (isTimezone(name)) return this.#findZone(name);
    const defined = this.#zones.get(name);
    if (!defined) throw new Error(`the time zone '${name}' is not known`);
    return defined;
  }

  /** Stores a zone that the text defines. It is used for names that the platform does not know. */
  #defineZone(component: Component): void {
    const zone = new ical.Timezone(component);
    this.#zones.set(zone.tzid, {
      instantFrom: (localTime) => {
        const time = this.#floating(localTime);
        time.zone = zone;
        return time.toUnixTime() * 1_000;
      },
      localTime: (instant) => {
        const time = ical.Time.fromDateTimeString(`${new Date(instant).toISOString().slice(0, 19)}Z`);
        return localTimeOfText(time.convertToZone(zone).toString());
      },
    });
  }
}
