import { expect } from 'vitest';
import { makeRequest } from '../../src/service/http/request.ts';
import type { OpenStream } from '../../src/service/http/streams.ts';
import type { TestService } from './test-service.ts';

/** An event of a stream. */
export interface StreamedEvent {
  readonly id: string;
  readonly event: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- as answers are in tests
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

interface Opening {
  readonly token: string;
  readonly lastEventId?: string | undefined;
  /** The remote address; without one, limits by address do not count. */
  readonly address?: string;
}

/** Opens a stream at a path from the root of a service. @returns the status when it is refused */
export async function watchPage(
  { service }: Pick<TestService, 'service'>,
  path: string,
  { token, lastEventId, address }: Opening,
): Promise<WatchedStream | number> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${token}`,
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  };
  const response = await service.fetch(
    makeRequest({
      method: 'GET',
      target: path,
      remoteAddress: address,
      header: (name) => headers[name],
      readBody: async () => Buffer.from(''),
    }),
  );
  if (!response.stream) return response.status;
  expect(response.headers['content-type']).toBe('text/event-stream');
  return new WatchedStream(response.stream);
}

/** Opens a stream of the interface. @returns the status when it is refused */
export async function watchStream(service: TestService, path: string, key: string, lastEventId?: string): Promise<WatchedStream | number> {
  return await watchPage(service, `/v1${path}`, { token: key, lastEventId });
}
