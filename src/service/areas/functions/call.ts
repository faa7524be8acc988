import { argumentsFlaw } from '../../../contract/areas/functions/arguments.ts';
import { problemText } from '../../../contract/errors.ts';
import { NestedTooDeeply, parseJson } from '../../../contract/json.ts';
import { limits } from '../../../contract/limits.ts';
import { type CallingUser, type Conversation, functionHeaders, toldToFunction } from '../../../contract/areas/functions/request.ts';
import { signatureHeaders } from '../../../contract/deliveries/headers.ts';
import type { Outbound } from '../../network/outbound.ts';
import { codeOf, outcomeOfAnswer, outcomeOfError } from '../webhooks/outcome.ts';
import { type CallOutcome, failedCall } from './outcome.ts';
import type { CustomFunction } from './table.ts';

/** The most bytes that a function may return. */
const resultBytes = 1024 * 1024;

/** A call of a function. */
export interface FunctionCall {
  readonly id: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly user: CallingUser;
  /** Null for a test. */
  readonly conversation: Conversation | null;
  /** By the service's clock. */
  readonly now: number;
  /** Aborts the call when the answer is out of time, or the service stops. */
  readonly signal?: AbortSignal;
}

/** Why arguments do not match the parameters of a function or tool; undefined when they do. */
export function argumentsFailure(parameters: Parameters<typeof argumentsFlaw>[0], given: unknown): CallOutcome | undefined {
  const flaw = argumentsFlaw(parameters, given);
  return flaw && failedCall('invalid_arguments', problemText(['arguments', flaw.path].filter((part) => part !== '').join('.'), flaw.text));
}

/**
 * Calls a function with arguments that match its parameters (rule functions.7).
 * @returns the outcome, and the HTTP status; null without an answer
 */
export async function callFunction(
  outbound: Outbound,
  called: CustomFunction,
  call: FunctionCall,
): Promise<CallOutcome & { readonly status: number | null }> {
  const { method, timeout_seconds: seconds } = called;
  const body = method === 'GET' ? null : JSON.stringify({ call_id: call.id, ...toldToFunction({ ...call, name: called.name }) });
  const headers = { ...functionHeaders(called, call.id), ...signatureHeaders(called.signing_secret, call.now, body ?? '') };
  const limit = AbortSignal.timeout(seconds * 1_000);
  const signal = call.signal ? AbortSignal.any([limit, call.signal]) : limit;
  const url = method === 'GET' ? withQuery(called.url, call.arguments) : called.url;
  try {
    const answer = await outbound.send({ method, url, headers, body, most: resultBytes + 1, signal });
    const outcome = outcomeOfAnswer(answer.status, '');
    return { status: answer.status, ...(outcome.delivered ? readResult(answer.contentType, answer.bytes) : failedCall(codeOf(outcome))) };
  } catch (error) {
    const outcome = outcomeOfError(error as Error);
    return { status: outcome.statusCode, ...failedCall(codeOf(outcome)) };
  }
}

/** Adds arguments to the query of an address. Those that are no text, number or truth value are written as JSON. */
function withQuery(url: string, given: Readonly<Record<string, unknown>>): string {
  const address = new URL(url);
  for (const [name, value] of Object.entries(given)) {
    const values = Array.isArray(value) && value.every((each) => typeof each !== 'object') ? value : [value];
    for (const each of values) address.searchParams.append(name, typeof each === 'object' ? JSON.stringify(each) : String(each));
  }
  return address.href;
}

/** The text of an answer in its character set; undefined for one that is no text. */
function textOf(contentType: string, bytes: Buffer): string | undefined {
  if (bytes.length > 0 && contentType !== '' && !/^text\/|[/+](?:json|xml)\b|urlencoded/i.test(contentType)) return undefined;
  const [, charset = 'utf-8'] = /;\s*charset="?([\w-]+)/i.exec(contentType) ?? [];
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The result of a function: JSON or text; null for an empty answer. */
function readResult(contentType: string, bytes: Buffer): CallOutcome {
  if (bytes.length > resultBytes) return failedCall('unreadable', `The answer has more than ${resultBytes} bytes`);
  const decoded = textOf(contentType, bytes);
  if (decoded === undefined) return failedCall('unreadable', 'The answer is neither JSON nor text');
  // PostgreSQL cannot store the NUL character.
  const text = decoded.replaceAll('\0', '\uFFFD');
  if (text.trim() === '') return { ok: true, result: null };
  if (!/[/+]json\b/i.test(contentType)) return { ok: true, result: text };
  try {
    return { ok: true, result: parseJson(text, limits.bodyLevels) };
  } catch (error) {
    const why = error instanceof NestedTooDeeply ? error.message : 'The answer is not JSON, as its Content-Type says';
    return failedCall('unreadable', why);
  }
}
