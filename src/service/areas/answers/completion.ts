import { limits } from '../../../contract/limits.ts';
import { parseJson } from '../../../contract/json.ts';
import { firstCharacters } from '../../../contract/text/first-characters.ts';
import type { Usage } from './writer.ts';
import { WriterFailed } from './writer.ts';

/** A response of a model, complete or as one part of a stream. Every field must be validated. */
export interface CompletionPart {
  readonly choices?: unknown;
  readonly usage?: unknown;
  readonly error?: unknown;
}

interface Choice {
  readonly index?: unknown;
  readonly finish_reason?: unknown;
  readonly message?: Said | null;
  readonly delta?: Said | null;
}

interface Said {
  readonly content?: unknown;
  readonly tool_calls?: unknown;
  readonly function_call?: unknown;
}

/** A call of a tool, or a part of one. */
interface CallPart {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

/** A call of a tool that a model asks for. */
export interface WantedCall {
  /** The model's id of the call; null when it gave none. */
  readonly id: string | null;
  readonly name: string;
  /** As the model gave them: a text when they are not JSON. */
  readonly arguments: unknown;
}

/** A call while its parts arrive. */
interface GatheredCall {
  readonly index: unknown;
  id: string | null;
  name: string;
  /** The arguments as JSON, or as some servers send them. */
  text: string;
  given: unknown;
}

/** The most calls of a response, and the longest name of one: no tool has a longer one. */
const callsMax = 64;
const nameLength = 64;

/** The finish reasons of a response that is incomplete or is not an answer. */
const failedEnds: ReadonlySet<unknown> = new Set(['length', 'content_filter']);
/** The finish reasons that ask for a call of a tool. */
const callingEnds: ReadonlySet<unknown> = new Set(['tool_calls', 'function_call']);

/** The response of a model. */
export class Completion {
  text = '';
  /** The tokens that the model reported. */
  usage: Usage | null = null;
  readonly #isOffered: boolean;
  readonly #calls: GatheredCall[] = [];
  #isFinished = false;

  /** @param isOffered whether the model was offered tools */
  constructor(isOffered = false) {
    this.#isOffered = isOffered;
  }

  /** The calls that the model asks for; with any, its text is no answer yet. */
  get calls(): WantedCall[] {
    return this.#calls.map(({ id, name, text, given }) => ({
      id,
      // PostgreSQL cannot store the NUL character.
      name: firstCharacters(name.replaceAll('\0', '\uFFFD'), nameLength),
      arguments: given ?? readArguments(text),
    }));
  }

  /** Adds a part. @throws WriterFailed when it is malformed, calls a tool that was not offered, or ends the response early */
  add(part: CompletionPart): void {
    if (typeof part !== 'object' || part === null || part.error) throw new WriterFailed('The model answered with an error');
    this.usage = readUsage(part.usage) ?? this.usage;
    const { choices } = part;
    // The last part of a stream may contain only the usage and no choice.
    if (choices === undefined || (Array.isArray(choices) && choices.length === 0)) return;
    const choice = (Array.isArray(choices) ? choices[0] : undefined) as Choice | null | undefined;
    if (typeof choice !== 'object' || choice === null) throw malformed();
    if ((choice.index ?? 0) !== 0) return;
    this.#addSaid(choice.message ?? choice.delta ?? {}, Boolean(choice.message));
    const { finish_reason: end } = choice;
    if (failedEnds.has(end) || (callingEnds.has(end) && this.#calls.length === 0))
      throw new WriterFailed(`The answer of the model ended early (${String(end)})`);
    if (typeof end === 'string') this.#isFinished = true;
  }

  /** Ends a response. @throws WriterFailed when it was cut off, or is blank */
  end(isDone: boolean): void {
    if (!this.#isFinished && !isDone) throw new WriterFailed('The answer of the model was cut off', 'unreadable');
    // PostgreSQL cannot store the NUL character.
    this.text = this.text.replaceAll('\0', '').trim();
    if (this.text === '' && this.#calls.length === 0) throw new WriterFailed('The answer of the model is blank');
    if (this.#calls.length > callsMax || this.#calls.some(({ name }) => name === '')) throw malformed();
  }

  #addSaid(said: Said, isWhole: boolean): void {
    if (typeof said !== 'object') throw malformed();
    const { content, tool_calls: calls, function_call: call } = said;
    const parts = Array.isArray(calls) ? (calls as (CallPart | null)[]) : call ? [{ function: call as CallPart['function'] }] : [];
    if (parts.length > 0 && !this.#isOffered) throw new WriterFailed('The model tried to call a tool');
    for (const part of parts) this.#addCall(part, isWhole);
    if (typeof content === 'string') this.text += content;
    else if (content !== undefined && content !== null) throw malformed();
  }

  /** Adds a call, or a part of one. Servers tell parts of one call by its id, by its index, or by their order alone. */
  #addCall(part: CallPart | null, isWhole: boolean): void {
    if (typeof part !== 'object' || part === null) throw malformed();
    const { index, id, function: wanted } = part;
    const ownId = typeof id === 'string' && id !== '' ? id : null;
    let call = isWhole ? undefined : this.#begun(index, ownId, typeof wanted?.name === 'string' && wanted.name !== '');
    if (!call) this.#calls.push((call = { index, id: ownId, name: '', text: '', given: undefined }));
    call.id ??= ownId;
    if (typeof wanted?.name === 'string' && call.name === '') call.name = wanted.name;
    if (typeof wanted?.arguments === 'string') call.text += wanted.arguments;
    else if (wanted?.arguments !== undefined && wanted.arguments !== null) call.given = wanted.arguments;
  }

  /** The call that a part of a stream continues; undefined when it begins one. */
  #begun(index: unknown, id: string | null, hasName: boolean): GatheredCall | undefined {
    if (id !== null) return this.#calls.find((call) => call.id === id || (call.id === null && index !== undefined && call.index === index));
    if (index !== undefined) return this.#calls.findLast((call) => call.index === index);
    return hasName ? undefined : this.#calls.at(-1);
  }
}

/** Reads a response that is not streamed. @param isOffered whether the model was offered tools @throws WriterFailed */
export function readWhole(answer: unknown, isOffered = false): Completion {
  const completion = new Completion(isOffered);
  completion.add(answer as CompletionPart);
  completion.end(true);
  return completion;
}

/** The arguments of a call; as they are when they are not JSON. */
function readArguments(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return parseJson(text, limits.bodyLevels);
  } catch {
    return text;
  }
}

function malformed(): WriterFailed {
  return new WriterFailed('The answer of the model is malformed', 'unreadable');
}

/** The tokens that a model reports; null when it reports none, or invalid numbers. */
function readUsage(usage: unknown): Usage | null {
  if (typeof usage !== 'object' || usage === null) return null;
  const { prompt_tokens: prompt, completion_tokens: completion, prompt_tokens_details: details } = usage as Record<string, unknown>;
  const cached = (details as { cached_tokens?: unknown } | null | undefined)?.cached_tokens ?? 0;
  if (!isCount(prompt) || !isCount(completion) || !isCount(cached) || cached > prompt) return null;
  return { inputTokens: prompt - cached, cachedInputTokens: cached, outputTokens: completion };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= 1e9;
}
