/** A request to the service, as a transport carries it. */
export interface TransportRequest {
  readonly method: string;
  /** Below the server's root, with the query string: `/v1/tags?limit=2`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

/** What the service answered. */
export interface TransportResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Carries requests to a service: over the network, or within the process. */
export interface Transport {
  /** Where the requests go, for messages: an address, or `the embedded service`. */
  readonly target: string;
  /** The server's root; undefined within the process. */
  readonly origin?: string;
  /** @throws TransportFailure when there is no answer */
  send(request: TransportRequest): Promise<TransportResponse>;
  close(): Promise<void>;
}

/** There was no answer. */
export class TransportFailure extends Error {
  /** Whether the request can have reached the service. */
  readonly maybeSent: boolean;

  constructor(message: string, maybeSent: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TransportFailure';
    this.maybeSent = maybeSent;
  }
}
