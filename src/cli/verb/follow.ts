import type { StreamedEvent } from '../../client/events.ts';
import type { CallInput } from '../../contract/call.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { Session } from './noun.ts';

/** What a verb follows. */
interface Followed<E extends Endpoint> {
  readonly endpoint: E;
  readonly input: CallInput<E>;
  /** What it shows, for the note, such as `messages`. */
  readonly what: string;
  /** The id of the newest record before it begins; undefined without one. */
  readonly newest: string | undefined;
}

/**
 * Reads the events of a stream from now on, until the command is interrupted. A lost connection leaves no gap: the stream goes on after
 * the last event, or after what was there before.
 */
export async function follow<E extends Endpoint>(
  { targets, world, notes }: Session,
  { endpoint, input, what, newest }: Followed<E>,
): Promise<AsyncGenerator<StreamedEvent>> {
  const client = await targets.client();
  const stop = new AbortController();
  void world.interrupted.then(() => stop.abort());
  return client.events(endpoint, input, {
    until: stop.signal,
    // An unknown id is before all records.
    resumeAfter: newest ?? 'none',
    onBegin: () => notes.say(`Waiting for ${what}; press Ctrl-C to stop.`),
  });
}
