/** The time zone of this computer. */
export function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The time zones to choose from: that of the guest, that of the business, and all others. */
export function zonesFor(business: string): string[] {
  return [...new Set([ownZone(), business, ...Intl.supportedValuesOf('timeZone')])];
}

export function dayOf(time: string, language: string, timeZone: string): string {
  return new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long', timeZone }).format(new Date(time));
}

export function clockOf(time: string, language: string, timeZone: string): string {
  return new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone }).format(new Date(time));
}

/** The number of a local day, which grows by one each day. */
export function dayNumber(time: string | number, timeZone: string): number {
  const date = new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(time));
  return Date.parse(date) / 86_400_000;
}
