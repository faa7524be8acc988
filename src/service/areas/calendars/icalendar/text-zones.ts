import ical from 'ical.js';
import { isTimezone } from '../../../../contract/time/timezones.ts';
import type { FindZone, Zone } from '../../../../contract/time/zones.ts';
import { componentOf, localTimeOfText, textsOf, UnreadableEvent } from './components.ts';
import type { ContentComponent } from './content.ts';
import { findNamedZone } from './zone-names.ts';

/** A zone that is used in a text. */
export type TextZone = Pick<Zone, 'localTime' | 'instantFrom'>;

const utc: TextZone = { localTime: (instant) => instant, instantFrom: (localTime) => localTime };

/** How much of an unknown name is quoted. */
const quotedMax = 100;

/** A local time as the library has it. */
export function floating(localTime: number): ical.Time {
  return ical.Time.fromDateTimeString(new Date(localTime).toISOString().slice(0, 19));
}

/** The zone that a name stands for, without a definition in a text; undefined for an unknown name. */
export function knownZone(findZone: FindZone, name: string): TextZone | undefined {
  const known = findNamedZone(name);
  if (typeof known === 'string') return findZone(known);
  return known === undefined ? undefined : { localTime: (instant) => instant + known, instantFrom: (localTime) => localTime - known };
}

/** The zones of a calendar. */
export class TextZones {
  readonly #findZone: FindZone;
  readonly #usual: TextZone;
  readonly #defined = new Map<string, TextZone>();
  readonly #found = new Map<string, TextZone>();

  /** @param timezone the zone for times without a zone and for whole days, unless the calendar has one */
  constructor(findZone: FindZone, timezone: string, calendar: ContentComponent) {
    this.#findZone = findZone;
    const own = calendar.lines.map((line) => /^X-WR-TIMEZONE(?:;[^:]*)?:(.*)$/is.exec(line)?.[1]).find((name) => name !== undefined);
    this.#usual = (own === undefined ? undefined : knownZone(findZone, own)) ?? knownZone(findZone, timezone) ?? utc;
    for (const each of calendar.components) if (each.name === 'vtimezone') this.#define(each);
  }

  /** The zone of the times of a property. @throws UnreadableEvent when it is not known */
  of(property: ical.Property): TextZone {
    const name = property.getFirstParameter('tzid');
    if (!name) return textsOf(property)[0]?.endsWith('Z') ? utc : this.#usual;
    const zone = this.#found.get(name) ?? this.#find(name);
    if (!zone) throw new UnreadableEvent(`the time zone '${name.slice(0, quotedMax)}' is not known`);
    this.#found.set(name, zone);
    return zone;
  }

  /** A zone that the platform knows, one that the calendar defines, or one that Windows has. */
  #find(name: string): TextZone | undefined {
    return isTimezone(name) ? this.#findZone(name) : (this.#defined.get(name) ?? knownZone(this.#findZone, name));
  }

  /** Keeps a zone that the calendar defines. One that is not whole is left out. */
  #define(content: ContentComponent): void {
    if (content.isBroken || content.components.length === 0 || content.components.some((each) => each.isBroken)) return;
    try {
      const component = componentOf(content);
      const isWhole = component
        .getAllSubcomponents()
        .every((each) => ['dtstart', 'tzoffsetfrom', 'tzoffsetto'].every((name) => each.hasProperty(name)));
      if (isWhole) this.#keep(new ical.Timezone(component));
    } catch {
      // The library or a line refuses it.
    }
  }

  #keep(zone: ical.Timezone): void {
    this.#defined.set(zone.tzid, {
      instantFrom: (localTime) => {
        const time = floating(localTime);
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
