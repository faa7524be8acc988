import type { Endpoint } from '../../contract/endpoint.ts';
import type { EndpointName, EndpointOf } from '../../contract/endpoints.ts';
import type { ApiError } from '../errors.ts';
import type { Handler, Service } from './handler.ts';
import type { ApiRequest, ApiResponse } from './request.ts';
import type { RequestLogEntry } from './request-log.ts';

/** Where the published interface lies. */
export const apiRoot = '/v1';

/** Where the sandbox lies. */
export const sandboxRoot = '/sandbox';

/** The handlers of all endpoints: a missing one is a type error. */
export type Handlers = { readonly [Name in EndpointName]: Handler<EndpointOf<Name>> };

/** What the surfaces need. */
export interface SurfaceOptions {
  readonly service: Service;
  readonly handlers: Handlers;
  /** Called for every answered request of the published interface. */
  readonly onRequest: (entry: RequestLogEntry) => void;
  readonly onKeyUsed: (keyId: string, at: number) => void;
  /** Called for every error that is not the caller's. */
  readonly onError: (error: unknown) => void;
  /** Called with every success answer before it is sent: the tests compare it with the contract. */
  readonly onAnswer?: ((spec: Endpoint, answer: unknown) => void) | undefined;
}

/** A request with the parameters of its path. */
export interface RoutedRequest {
  readonly request: ApiRequest;
  readonly params: Readonly<Record<string, string>>;
}

/** Endpoints that are served in one way: the published interface, or the sandbox. */
export interface Surface {
  /** Answers a request to an endpoint. */
  answer(routed: RoutedRequest, spec: Endpoint): Promise<ApiResponse>;
  /**
   * Answers a request that no endpoint answers, once the request has shown a credential.
   * @param neighbour an endpoint on the same path, with another method
   */
  refuse(request: ApiRequest, neighbour: Endpoint | undefined, error: ApiError): Promise<ApiResponse>;
}
