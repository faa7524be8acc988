import { isTimezone } from '../../../../contract/time/timezones.ts';
import table from './windows-zones.json' with { type: 'json' };

// Names of time zones in calendars, beside those of IANA: those of Windows and Exchange, with the labels that Outlook shows, paths of
// Evolution and Mozilla, and offsets.

/** Longer names are no names of zones. */
const nameMax = 200;

/** The offset before the label of a zone, as in `(UTC-05:00) Eastern Time (US & Canada)`. */
const labelOffset = /^\((?:UTC|GMT)[^)]*\)\s*/i;

let windowsZones: ReadonlyMap<string, string> | undefined;
let zonesOfCities: ReadonlyMap<string, string> | undefined;

/**
 * Finds the zone that a name stands for.
 * @returns the name of an IANA zone, or an offset from UTC in milliseconds; undefined for an unknown name
 */
export function findNamedZone(given: string): string | number | undefined {
  if (given.length > nameMax) return undefined;
  const name = given
    .trim()
    .replace(/^["']+|["']+$/g, '')
    .trim();
  return ianaZone(name) ?? windowsZone(name) ?? offsetOf(name);
}

/** An IANA zone, which Evolution and Mozilla write as /mozilla.org/20050126_1/Europe/Berlin. */
function ianaZone(name: string): string | undefined {
  if (isTimezone(name)) return name;
  const parts = /^\/|:\/\//.test(name) ? name.split('/') : [];
  return parts.map((_, index) => parts.slice(index).join('/')).find((path) => path !== name && isTimezone(path));
}

function windowsZone(name: string): string | undefined {
  windowsZones ??= new Map(
    Object.entries(table).flatMap(([each, zone]) => [each, each.replace(labelOffset, '')].map((key) => [folded(key), zone] as const)),
  );
  const label = name.replace(labelOffset, '');
  // Exchange numbers zones that it has several of. `Eastern Time (US & Canada)` is the Eastern Standard Time.
  const plain = label.replace(/ \d+$/, '').replace(/ (?:Daylight|Summer) Time$/i, ' Standard Time');
  const standard = `${plain.replace(/\s*\(.*$/, '').replace(/ (?:Standard )?Time$/i, '')} Standard Time`;
  for (const each of [name, label, plain, standard]) {
    const zone = windowsZones.get(folded(each));
    if (zone !== undefined) return zone;
  }
  return label === name ? undefined : zoneOfCities(label);
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll('&', 'and').replace(/\s+/g, ' ').trim();
}

/** The zone of the first city that has one, in a label such as `Dublin, Edinburgh, Lisbon, London`. */
function zoneOfCities(label: string): string | undefined {
  zonesOfCities ??= new Map(
    Intl.supportedValuesOf('timeZone').map((zone) => [(zone.split('/').at(-1) ?? '').replaceAll('_', ' ').toLowerCase(), zone]),
  );
  for (const city of label.split(/[,;]/)) {
    const zone = zonesOfCities.get(city.trim().toLowerCase());
    if (zone !== undefined) return zone;
  }
  return undefined;
}

/** The offset that a name consists of, as in `GMT+0200`, `UTC+02:00`, `+02:00` and `(UTC+02:00)`. */
function offsetOf(name: string): number | undefined {
  const match = /^\(?(?:GMT|UTC)?\s*([+-])(\d{1,2})(?::?(\d{2}))?\)?$/i.exec(name);
  if (!match) return undefined;
  const [, sign, hours, minutes = '0'] = match;
  const offset = Number(hours) * 3_600_000 + Number(minutes) * 60_000;
  return offset > 14 * 3_600_000 ? undefined : sign === '-' ? -offset : offset;
}
