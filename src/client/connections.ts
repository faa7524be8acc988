import type { Readable } from 'node:stream';
import type { TransportRequest } from './transport.ts';

/** HTTP connections to one server. Their only limit of time is that for connecting. */
export interface Connections {
  /** Sends a request. @returns once the headers of the response have arrived */
  send(request: Omit<TransportRequest, 'answerLimits'>, signal: AbortSignal): Promise<HttpResponse>;
  /** Closes the connections. No request may be in progress. */
  close(): Promise<void>;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
}
