import { type Endpoint, successStatus } from '../../contract/endpoint.ts';
import type { StepScheduler } from '../store/step-scheduler.ts';
import { ApiError } from '../errors.ts';
import type { Redirect } from './handler.ts';
import type { ApiResponse } from './request.ts';

/** The headers of every response (rule conventions.6). */
const securityHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const;

/** The maximum number of characters of JSON that are written in one turn of the event loop. */
const textOfStep = 500_000;

/**
 * The response of an endpoint, in the envelope. A list of large records is serialized in steps, so that other requests are served
 * in between.
 */
export async function successAnswer(spec: Endpoint, answer: object, scheduler: StepScheduler): Promise<ApiResponse> {
  const { success = true, ...rest } = answer as Readonly<Record<string, unknown>>;
  const fields = [`"success":${String(success)}`];
  for (const [name, value] of Object.entries(rest)) {
    const text = Array.isArray(value) ? await listText(value, scheduler) : JSON.stringify(value);
    if (text !== undefined) fields.push(`"${name}":${text}`);
  }
  const { alsoAnswers } = spec;
  const status = alsoAnswers?.when(rest) ? alsoAnswers.status : successStatus(spec);
  return { status, headers: { ...securityHeaders }, body: `{${fields.join()}}` };
}

async function listText(items: readonly unknown[], scheduler: StepScheduler): Promise<string> {
  const texts: string[] = [];
  let length = 0;
  for (const item of items) {
    const text = JSON.stringify(item) as string | undefined;
    texts.push(text ?? 'null');
    length += text?.length ?? 0;
    if (length < textOfStep) continue;
    length = 0;
    await scheduler.run(async () => {});
  }
  return `[${texts.join()}]`;
}

/** Cached documents as JSON text: they are large and never change. */
const documents = new WeakMap<object, string>();

/** Returns a document without the envelope, for tools that expect its format. */
export function documentAnswer(document: object): ApiResponse {
  let body = documents.get(document);
  if (body === undefined) documents.set(document, (body = JSON.stringify(document)));
  return { status: 200, headers: { ...securityHeaders }, body };
}

export function redirectAnswer({ location }: Redirect): ApiResponse {
  return { status: 302, headers: { ...securityHeaders, location }, body: '' };
}

/** The response for an error, in the envelope. */
export function errorAnswer(error: ApiError): ApiResponse {
  const body = JSON.stringify({ success: false, error: error.message, error_code: error.errorCode, ...error.details });
  return { status: error.status, headers: { ...securityHeaders, ...error.headers }, body };
}

/** The response for any thrown error. @param report called for errors that the caller did not cause */
export function failureAnswer(error: unknown, report: (error: unknown) => void): ApiResponse {
  if (error instanceof ApiError) return errorAnswer(error);
  report(error);
  return errorAnswer(new ApiError(500, 'Something went wrong in the service; try again'));
}
