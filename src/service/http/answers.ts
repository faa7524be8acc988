import { type Endpoint, successStatus } from '../../contract/endpoint.ts';
import { replayedHeader } from '../../contract/idempotency.ts';
import { maskSecrets } from '../../contract/secret.ts';
import type { StepScheduler } from '../flow/steps.ts';
import { ApiError } from '../errors.ts';
import type { FileAnswer, Redirect, StreamedFile } from './handler.ts';
import type { ApiResponse } from './request.ts';
import type { OpenStream } from './streams.ts';

/** The headers of every response (rule conventions.6). */
export const securityHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const;

/** The number of characters of JSON that are made, or written, in one turn of the event loop. */
const pieceLength = 500_000;

/**
 * The response of an endpoint, in the envelope. The text of a large one is made in steps, so that other requests are served in
 * between.
 */
export async function successAnswer(spec: Endpoint, answer: object, scheduler: Pick<StepScheduler, 'run'>): Promise<ApiResponse> {
  const { success = true, ...rest } = answer as Readonly<Record<string, unknown>>;
  const text = new Pieces(`{"success":${String(success)}`, scheduler);
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined) continue;
    text.add(`,"${name}":`);
    if (Array.isArray(value)) await addList(text, value);
    else text.add(JSON.stringify(value));
    await text.rest();
  }
  text.add('}');
  const { alsoAnswers } = spec;
  const status = alsoAnswers?.when(rest) ? alsoAnswers.status : successStatus(spec);
  return { status, headers: { ...securityHeaders }, body: text.end() };
}

async function addList(text: Pieces, items: readonly unknown[]): Promise<void> {
  text.add('[');
  for (const [index, item] of items.entries()) {
    text.add((index > 0 ? ',' : '') + ((JSON.stringify(item) as string | undefined) ?? 'null'));
    await text.rest();
  }
  text.add(']');
}

/** A text that is made in pieces. */
class Pieces {
  readonly #scheduler: Pick<StepScheduler, 'run'>;
  readonly #done: string[] = [];
  #texts: string[];
  #length: number;

  constructor(beginning: string, scheduler: Pick<StepScheduler, 'run'>) {
    this.#scheduler = scheduler;
    this.#texts = [beginning];
    this.#length = beginning.length;
  }

  add(text: string): void {
    this.#texts.push(text);
    this.#length += text.length;
  }

  /** Ends the piece if it is long, and lets others be served. Returns undefined while it is short. */
  rest(): Promise<void> | undefined {
    if (this.#length < pieceLength) return undefined;
    this.#end();
    return this.#scheduler.run(async () => {});
  }

  end(): readonly string[] {
    this.#end();
    return this.#done;
  }

  #end(): void {
    if (this.#length > 0) this.#done.push(this.#texts.join(''));
    this.#texts = [];
    this.#length = 0;
  }
}

/** The response that repeats one. @param text its body */
export function repeatedAnswer(status: number, text: string): ApiResponse {
  return { status, headers: { ...securityHeaders, [replayedHeader]: 'true' }, body: [text] };
}

/** The size of an answer's body in bytes. */
export function sizeOf({ body }: { readonly body: readonly (string | Uint8Array)[] }): number {
  return body.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
}

/** Cached documents as JSON text: they are large and never change. */
const documents = new WeakMap<object, string>();

/** Returns a document without the envelope, for tools that expect its format. */
export function documentAnswer(document: object): ApiResponse {
  let body = documents.get(document);
  if (body === undefined) documents.set(document, (body = JSON.stringify(document)));
  return { status: 200, headers: { ...securityHeaders }, body: [body] };
}

/** The response that streams events. */
export function streamAnswer(stream: OpenStream): ApiResponse {
  return { status: 200, headers: { ...securityHeaders, 'content-type': 'text/event-stream' }, body: [], stream };
}

export function redirectAnswer({ location }: Redirect): ApiResponse {
  return { status: 302, headers: { ...securityHeaders, location }, body: [] };
}

/** The response with a file. Whatever it holds, a browser runs nothing of it. */
export function fileAnswer({ content, contentType }: FileAnswer): ApiResponse {
  const headers = { ...securityHeaders, 'content-type': contentType, 'content-security-policy': 'sandbox' };
  return { status: 200, headers, body: [content] };
}

/** The response with a file that is saved, and sent as fast as the client reads. @param isEmpty for a request for the headers alone */
export function streamedFileAnswer({ name, contentType, bytes, text }: StreamedFile, isEmpty: boolean): ApiResponse {
  const headers = {
    ...securityHeaders,
    'content-type': contentType,
    'content-security-policy': 'sandbox',
    'content-disposition': `attachment; filename="${name}"`,
    'content-length': String(bytes),
  };
  const ended = new AbortController();
  if (isEmpty) ended.abort();
  return { status: 200, headers, body: [], stream: { text: textUntil(ended.signal, text), end: () => ended.abort() } };
}

async function* textUntil(ended: AbortSignal, text: AsyncIterable<string>): AsyncGenerator<string> {
  if (ended.aborted) return;
  for await (const piece of text) {
    if (ended.aborted) return;
    yield piece;
  }
}

/** The response for an error, in the envelope. */
export function errorAnswer(error: ApiError): ApiResponse {
  const answer = { success: false, error: error.message, error_code: error.errorCode, ...error.details };
  // A text can repeat an id of the request, which can be a key by mistake.
  const body = JSON.stringify(answer, (_name, value: unknown) => (typeof value === 'string' ? maskSecrets(value) : value));
  return { status: error.status, headers: { ...securityHeaders, ...error.headers }, body: [body] };
}

/** The error that a client is told of anything that was thrown. @param report called for errors that the caller did not cause */
export function failureOf(error: unknown, report: (error: unknown) => void): ApiError {
  if (error instanceof ApiError) return error;
  report(error);
  return new ApiError(500, 'Something went wrong in the service; try again');
}

/** The response for any thrown error. @param report as in `failureOf` */
export function failureAnswer(error: unknown, report: (error: unknown) => void): ApiResponse {
  return errorAnswer(failureOf(error, report));
}
