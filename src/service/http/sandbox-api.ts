import type { Endpoint } from '../../contract/endpoint.ts';
import { readClock } from '../clock/clock.ts';
import { readState } from '../clock/state.ts';
import { ApiError } from '../errors.ts';
import { acceptsSandboxToken } from '../identity/sandbox-token.ts';
import type { AnonymousLimit } from './anonymous-limit.ts';
import { failureAnswer } from './answers.ts';
import { callPublic } from './call-public.ts';
import { pageReader } from './cursors.ts';
import type { SandboxHandler } from './handler.ts';
import { checkParams, checkShape, noInput, readInput } from './input.ts';
import type { ApiRequest, ApiResponse } from './request.ts';
import { answerWithin, type EndpointGroup, type EndpointGroupOptions, handlerOf, type RoutedRequest } from './endpoint-group.ts';

/** Stands for the account of requests with the sandbox token. */
const operator = '';

/** Serves the sandbox. Its endpoints need the sandbox token, have no rate limit and are not logged. */
export class SandboxApi implements EndpointGroup {
  readonly #options: EndpointGroupOptions;
  readonly #anonymous: AnonymousLimit;

  constructor(options: EndpointGroupOptions, anonymous: AnonymousLimit) {
    this.#options = options;
    this.#anonymous = anonymous;
  }

  async answer(routed: RoutedRequest, spec: Endpoint): Promise<ApiResponse> {
    return await this.#catching(async () => {
      if (spec.access !== 'public') await this.#checkToken(routed.request);
      return await answerWithin(this.#options, routed, spec, operator, async () => {
        const answer = spec.access === 'public' ? await this.#handlePublic(routed, spec) : await this.#handle(routed, spec);
        this.#options.onAnswer?.(spec, answer);
        return answer;
      });
    });
  }

  async refuse(request: ApiRequest, _neighbour: Endpoint | undefined, error: ApiError): Promise<ApiResponse> {
    return await this.#catching(async () => {
      await this.#checkToken(request);
      throw error;
    });
  }

  async #handlePublic(routed: RoutedRequest, spec: Endpoint): Promise<object> {
    this.#anonymous.count(routed.request.remoteAddress);
    return await callPublic(this.#options, routed, spec);
  }

  async #handle({ request, params }: RoutedRequest, spec: Endpoint): Promise<object> {
    const { service, handlers } = this.#options;
    const takesBytes = spec.rawBodyBytes !== undefined;
    const bytes = takesBytes ? await request.readBody(spec.rawBodyBytes) : new Uint8Array();
    const { query, body } = checkShape(request, spec, takesBytes ? noInput : await readInput(request, spec));
    const state = await service.store.read(readState);
    const handler = handlerOf<SandboxHandler<Endpoint>>(handlers, spec);
    const answer = await handler({
      service,
      state,
      now: readClock(state, service.realNow()),
      params: checkParams(params),
      query,
      body,
      bytes,
      page: pageReader(spec, '', params, query, service.cursorSecret),
    });
    if (spec.method !== 'GET') service.failpoint('request.committed');
    service.jobs.wake();
    return answer;
  }

  async #checkToken(request: ApiRequest): Promise<void> {
    const [, token = ''] = /^bearer +(\S+)$/i.exec(request.header('authorization')?.trim() ?? '') ?? [];
    if (await acceptsSandboxToken(this.#options.service.store, token)) return;
    this.#anonymous.count(request.remoteAddress);
    throw new ApiError(401, 'Missing or invalid sandbox token');
  }

  async #catching(work: () => Promise<ApiResponse>): Promise<ApiResponse> {
    try {
      return await work();
    } catch (error) {
      return failureAnswer(error, this.#options.onError);
    }
  }
}
