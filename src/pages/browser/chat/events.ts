import { Refused } from '../settings.ts';

/** A comment comes every 15 seconds. A stream that says nothing for longer is dead. In milliseconds. */
const silence = 40_000;

/**
 * Reads the events of a stream, as data; null once it is open, and for its comments. `EventSource` cannot send the token.
 * @param after the id of the last event that the reader has
 * @throws Refused for an error of the service, and other errors when the connection is lost
 */
export async function* readEvents(path: string, token: string, after: string, until: AbortSignal): AsyncGenerator<string | null> {
  const connection = new AbortController();
  const end = () => connection.abort();
  let timer = setTimeout(end, silence);
  until.addEventListener('abort', end);
  try {
    if (until.aborted) end();
    const response = await fetch(path, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${token}`, 'last-event-id': after },
      cache: 'no-store',
      credentials: 'omit',
      signal: connection.signal,
    });
    if (!response.ok || !response.body) throw new Refused(response.status, {});
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(end, silence);
      const events = (text + value).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const data = event.split('\n').flatMap((line) => (line.startsWith('data: ') ? line.slice(6) : []));
        yield data.length > 0 ? data.join('\n') : null;
      }
    }
  } finally {
    clearTimeout(timer);
    until.removeEventListener('abort', end);
  }
}
