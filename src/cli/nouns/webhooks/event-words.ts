import { findEventName } from '../../../contract/areas/webhooks/event-names.ts';
import { listEventNames } from '../../../contract/areas/webhooks/endpoints.ts';
import type { Session } from '../../verb/noun.ts';
import { parseList } from '../../verb/values.ts';

/** The word for every event. */
export const allEvents = 'all';

/** Parses the name of an event, in any case. An unknown one is sent unchanged, because a newer service may know it. */
export function parseEvent(text: string): string {
  return findEventName(text.trim()) ?? text;
}

/** Parses names of events, or `all`. */
export function parseEvents(text: string, previous: unknown): string[] {
  return parseList(text, previous).map(parseEvent);
}

/** The events that parsed names stand for: those of the service for `all`. */
export async function eventsOf(names: readonly string[], { targets }: Session): Promise<readonly string[]> {
  if (names.length !== 1 || names[0]?.toLowerCase() !== allEvents) return names;
  return (await (await targets.client()).call(listEventNames, {})).events;
}
