import type { Endpoint } from '../../contract/endpoint.ts';
import type { EndpointName, EndpointOf } from '../../contract/endpoints.ts';
import type { ApiError } from '../errors.ts';
import type { AnswerBudget } from './answer-budget.ts';
import { sizeOf, successAnswer } from './answers.ts';
import type { Handler, Service } from './handler.ts';
import type { ApiRequest, ApiResponse } from './request.ts';
import type { RequestLogEntry } from './request-log.ts';
import type { Meters } from '../metrics/meters.ts';

/** The handlers of all endpoints. A missing handler is a type error. */
export type Handlers = { readonly [Name in EndpointName]: Handler<EndpointOf<Name>> };

/** The handler of an endpoint. The caller knows its type from the endpoint's `access`. */
export function handlerOf<H>(handlers: Handlers, { name }: Endpoint): H {
  return handlers[name as EndpointName] as unknown as H;
}

/** The parts that all groups of endpoints use. */
export interface EndpointGroupOptions {
  readonly service: Service;
  readonly handlers: Handlers;
  /** Bounds what the answers in progress hold. */
  readonly answerBudget: AnswerBudget;
  /** Called for every answered request of the published interface. */
  readonly onRequest: (entry: RequestLogEntry) => void;
  /** Called for every answered request, with the name of its endpoint; undefined when nobody measures. */
  readonly onAnswered?: Meters['request'] | undefined;
  readonly onKeyUsed: (keyId: string, at: number) => void;
  /** Called for every error that the caller did not cause. */
  readonly onError: (error: unknown) => void;
  /**
   * Called with every success answer before it is sent, except documents of public endpoints. Tests use it to compare answers
   * with the contract.
   */
  readonly onAnswer?: ((spec: Endpoint, answer: unknown) => void) | undefined;
}

/** A request with the parameters of its path. */
export interface RoutedRequest {
  readonly request: ApiRequest;
  readonly params: Readonly<Record<string, string>>;
}

/** Endpoints with the same checks: the published interface, or the sandbox. */
export interface EndpointGroup {
  /** Answers a request to an endpoint. */
  answer(routed: RoutedRequest, spec: Endpoint): Promise<ApiResponse>;
  /**
   * Answers a request that matches no endpoint, after checking its credential.
   * @param neighbour an endpoint on the same path with another method
   */
  refuse(request: ApiRequest, neighbour: Endpoint | undefined, error: ApiError): Promise<ApiResponse>;
}

/**
 * Answers a request within the bound on what answers in progress hold.
 * @param account the account that asks
 * @param handle makes the answer, which may well be large
 * @throws ApiError 503 when too much is being answered, and the errors of `handle`
 */
export async function answerWithin(
  { service, answerBudget }: EndpointGroupOptions,
  { request }: RoutedRequest,
  spec: Endpoint,
  account: string,
  handle: (isLarge: boolean) => Promise<object>,
): Promise<ApiResponse> {
  const place = await answerBudget.enter(account, spec);
  try {
    const response = await successAnswer(spec, await handle(place.isLarge), service.scheduler);
    place.weigh(sizeOf(response));
    if (request.onSent) request.onSent(place.leave);
    else place.leave();
    return response;
  } catch (error) {
    place.leave();
    throw error;
  }
}
