import type { AnswerLimits, RequestMethod } from '../contract/endpoint.ts';

/** A request to the service, as a transport carries it. */
export interface TransportRequest {
  readonly method: RequestMethod;
  /** From the root of the server, with the query string: `/v1/tags?limit=2`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** The limits of the answer, when they differ from the default. */
  readonly answerLimits?: AnswerLimits | undefined;
  /** Prepares for the answer. A transport may call it once the request is sent. It must not throw. */
  readonly prepare?: () => void;
}

/** The answer to a request. */
export interface TransportResponse {
  readonly status: number;
  /** The keys are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer to a request for a stream, which goes on until it is aborted or the server ends it. */
export interface StreamedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: AsyncIterable<string>;
}

/** Carries requests to a service, over the network or within the process. */
export interface Transport {
  /** The name of the target in messages: an address, or `the embedded service`. */
  readonly target: string;
  /** The origin of the server; undefined for the embedded service. */
  readonly origin?: string;
  /** @throws TransportError when there is no answer */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** @throws TransportError when there is no answer, or while its text is read */
  stream(request: TransportRequest, signal: AbortSignal): Promise<StreamedResponse>;
  close(): Promise<void>;
}

/** A request that got no answer. The message is a phrase that can follow a colon. */
export class TransportError extends Error {
  /** Whether the request may have reached the service. */
  readonly maybeSent: boolean;
  /** Whether sending the request again would end the same way. */
  readonly isFinal: boolean;

  constructor(message: string, { maybeSent, isFinal = false, cause }: { maybeSent: boolean; isFinal?: boolean; cause?: unknown }) {
    super(message, { cause });
    this.name = 'TransportError';
    this.maybeSent = maybeSent;
    this.isFinal = isFinal;
  }
}
