import type { EventSourceMessage } from 'eventsource-parser';

/** An event of a stream. */
export interface StreamedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

/** Reads the events of a stream from its text. */
export async function* readEvents(text: AsyncIterable<string>): AsyncGenerator<StreamedEvent> {
  // Loaded on demand: few commands read streams.
  const { createParser } = await import('eventsource-parser');
  const read: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => read.push(event) });
  for await (const part of text) {
    parser.feed(part);
    for (const { id = '', event = 'message', data } of read.splice(0)) yield { id, event, data: JSON.parse(data) as unknown };
  }
}
