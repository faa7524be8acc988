import { answerSchema, type Endpoint } from '../contract/endpoint.ts';
import type { NamedError } from '../contract/errors.ts';
import { problemOf } from '../contract/issues.ts';
import { NestedTooDeeply, parseJson } from '../contract/json.ts';
import { limits } from '../contract/limits.ts';
import { requestIdHeader } from '../contract/request-id.ts';
import { InterfaceError, type KeySource, UnexpectedAnswerError } from './errors.ts';
import type { RequestLine } from './requests.ts';
import { readRetryHeaders, type Response, settles } from './responses.ts';

/** Where an answer comes from, for messages. */
export interface AnswerSource {
  readonly target: string;
  readonly keySource: KeySource;
  /** The sub-account that the call acted on. */
  readonly subAccountId: string | undefined;
}

/** The answer as JSON; undefined when it is not JSON. */
export function parseAnswer({ method, path }: RequestLine, { status, headers, body, isMaybeDone }: Response, target: string): unknown {
  try {
    return parseJson(body, limits.answerLevels);
  } catch (error) {
    if (!(error instanceof NestedTooDeeply)) return undefined;
    throw new UnexpectedAnswerError(
      `${target} answered ${method} ${path} with JSON that has more than ${limits.answerLevels} levels`,
      status,
      isMaybeDone,
      headers[requestIdHeader],
    );
  }
}

/**
 * The answer to a call, without `success`.
 * @throws the error of `answerError`; UnexpectedAnswerError when it does not match the contract
 */
export function readAnswer(endpoint: Endpoint, response: Response, source: AnswerSource): unknown {
  const { method, path } = endpoint;
  const value = parseAnswer(endpoint, response, source.target);
  if (response.status >= 400 || typeof value !== 'object' || value === null) throw answerError(endpoint, value, response, source);
  const checked = answerSchema(endpoint).safeParse(value);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const field = issue?.path.join('.') || 'the answer';
    throw new UnexpectedAnswerError(
      `${source.target} answered ${method} ${path} with an answer that does not match the interface (${field} ${issue ? problemOf(issue) : 'is invalid'}): it may be another version`,
      response.status,
      response.isMaybeDone,
      response.headers[requestIdHeader],
    );
  }
  // The parsed copy lacks fields that this version does not know, so it is not returned.
  const { success: _, ...answer } = value as Record<string, unknown>;
  return answer;
}

/** The error for an answer that is not a success. @param value the answer as JSON */
export function answerError({ method, path }: RequestLine, value: unknown, response: Response, source: AnswerSource): Error {
  const { target, keySource, subAccountId } = source;
  const { status, isMaybeDone } = response;
  const requestId = response.headers[requestIdHeader];
  if (typeof value !== 'object' || value === null)
    return new UnexpectedAnswerError(
      `${target} answered ${method} ${path} with status ${status}, but not with JSON: check that the address is that of the service`,
      status,
      isMaybeDone,
      requestId,
    );
  const { success: _, error, error_code: errorCode, ...details } = value as Record<string, unknown>;
  if (typeof error !== 'string')
    return new UnexpectedAnswerError(
      `${target} answered ${status} without an error message: check that the address is that of the service`,
      status,
      isMaybeDone,
      requestId,
    );
  return new InterfaceError(error, {
    endpoint: `${method} ${path}`,
    status,
    errorCode: (errorCode as number | NamedError | undefined) ?? status,
    details,
    ...readRetryHeaders(response),
    keySource,
    subAccountId,
    requestId,
    maybeDone: isMaybeDone,
    settles: settles(response),
  });
}
