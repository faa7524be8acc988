import { expect } from 'vitest';
import { parseTarget } from '../../src/service/http/request.ts';
import type { OpenStream } from '../../src/service/http/streams.ts';
import type { TestService } from './test-service.ts';

/** An event of a stream. */
export interface StreamedEvent {
  readonly id: string;
  readonly event: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as answers are in tests
  readonly data: any;
}

/** A stream, and what it has sent. */
export class WatchedStream {
  readonly stream: OpenStream;
  text = '';
  isEnded = false;

  constructor(stream: OpenStream) {
    this.stream = stream;
    void this.#read();
  }

  async #read(): Promise<void> {
    for await (const part of this.stream.text) this.text += part;
    this.isEnded = true;
  }

  get ids(): string[] {
    return this.events.map(({ id }) => id);
  }

  get events(): StreamedEvent[] {
    const events = this.text.matchAll(/^id: (.+)\nevent: (.+)\ndata: (.+)\n\n/gm);
    return Array.from(events, ([, id = '', event = '', data = '']) => ({ id, event, data: JSON.parse(data) as unknown }));
  }
}

/** Opens a stream of a service. @returns the status when it is refused */
export async function watchStream(service: TestService, path: string, key: string, lastEventId?: string): Promise<WatchedStream | number> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${key}`,
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  };
  const response = await service.service.fetch({
    method: 'GET',
    ...parseTarget(`/v1${path}`),
    header: (name) => headers[name],
    readBody: async () => Buffer.from(''),
  });
  if (!response.stream) return response.status;
  expect(response.headers['content-type']).toBe('text/event-stream');
  return new WatchedStream(response.stream);
}
