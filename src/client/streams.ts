import type { Endpoint } from '../contract/endpoint.ts';
import { answerError, type AnswerSource, parseAnswer } from './answers.ts';
import { InterfaceError, NetworkError } from './errors.ts';
import { readEvents, type StreamedEvent } from './events.ts';
import { SilenceLimit } from './silence-limit.ts';
import { type StreamedResponse, type Transport, TransportError, type TransportRequest } from './transport.ts';

/** How the events of a stream are read. */
export interface Following {
  /** Ends it when it is aborted. */
  readonly until: AbortSignal;
  /** The id after which it goes on when the connection is lost before the first event. */
  readonly resumeAfter?: string;
  /** Called once, when the stream begins. */
  readonly onBegin?: () => void;
}

/** A request whose answer is a stream. */
export interface StreamRequest {
  readonly endpoint: Endpoint;
  readonly request: TransportRequest;
  readonly transport: Transport;
  readonly source: AnswerSource;
}

/** How long a stream can say nothing, in milliseconds. The service sends a comment every 15 seconds. */
const silentMax = 40_000;

/**
 * Reads the text of a stream.
 * @param until ends it when it is aborted
 * @throws InterfaceError when the service refuses it
 * @throws NetworkError when the connection fails
 */
export async function* streamedText({ endpoint, request, transport, source }: StreamRequest, until: AbortSignal): AsyncGenerator<string> {
  const silence = new SilenceLimit(silentMax);
  let hasBegun = false;
  try {
    const answer = await transport.stream(request, AbortSignal.any([until, silence.signal]));
    if (answer.status >= 400) throw await refusal(endpoint, answer, source);
    hasBegun = true;
    yield* silence.watch(answer.text);
  } catch (error) {
    if (until.aborted) return;
    const isSilent = silence.signal.aborted;
    if (!isSilent && !(error instanceof TransportError)) throw error;
    const why = isSilent ? `nothing arrived for ${silentMax / 1_000} seconds` : (error as Error).message;
    const what = hasBegun ? `The answer of ${source.target} broke off` : `Cannot reach ${source.target}`;
    throw new NetworkError(`${what}: ${why}`, false, { cause: error });
  } finally {
    silence.end();
  }
}

/**
 * Reads the events of a stream, from now on or after the event with an id. When the connection is lost or says nothing any more, or
 * the service fails or asks to wait meanwhile, it connects again and misses nothing.
 * @throws InterfaceError when the service refuses it, also later
 * @throws NetworkError when the service cannot be reached at first
 */
export async function* streamedEvents(
  { endpoint, request, transport, source }: StreamRequest,
  { until, resumeAfter, onBegin }: Following,
  sleep: (milliseconds: number) => Promise<void>,
): AsyncGenerator<StreamedEvent> {
  let last: string | undefined;
  let hasBegun = false;
  while (!until.aborted) {
    const headers = { ...request.headers, accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) };
    const silence = new SilenceLimit(silentMax);
    let pause = 1_000;
    try {
      const answer = await transport.stream({ ...request, headers }, AbortSignal.any([until, silence.signal]));
      if (answer.status >= 400) throw await refusal(endpoint, answer, source);
      if (!hasBegun) onBegin?.();
      hasBegun = true;
      last ??= resumeAfter;
      for await (const event of readEvents(silence.watch(answer.text))) {
        last = event.id;
        yield event;
      }
    } catch (error) {
      if (until.aborted) return;
      const isPassing = error instanceof InterfaceError && (error.status >= 500 || error.status === 429);
      if (!(error instanceof TransportError || silence.signal.aborted || (isPassing && hasBegun))) throw error;
      if (!hasBegun) throw new NetworkError(`Cannot reach ${source.target}: ${(error as Error).message}`, false, { cause: error });
      if (isPassing) pause = Math.max(pause, (error.retryAfter ?? 0) * 1_000);
    } finally {
      silence.end();
    }
    if (!until.aborted) await sleep(pause);
  }
}

async function refusal(endpoint: Endpoint, { status, headers, text }: StreamedResponse, source: AnswerSource): Promise<Error> {
  const response = { status, headers, body: (await Array.fromAsync(text)).join(''), isMaybeDone: false };
  return answerError(endpoint, parseAnswer(endpoint, response, source.target), response, source);
}
