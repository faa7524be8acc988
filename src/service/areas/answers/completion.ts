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

/** The finish reasons of a response that is incomplete or is not an answer. */
const failedEnds: ReadonlySet<unknown> = new Set(['length', 'content_filter', 'tool_calls', 'function_call']);

/** The response of a model. */
export class Completion {
  text = '';
  /** The tokens that the model reported. */
  usage: Usage | null = null;
  #isFinished = false;

  /** Adds a part. @throws WriterFailed when it is malformed, calls a tool or ends the response early */
  add(part: CompletionPart): void {
    if (typeof part !== 'object' || part === null || part.error) throw new WriterFailed('The model answered with an error');
    this.usage = readUsage(part.usage) ?? this.usage;
    const { choices } = part;
    // The last part of a stream may contain only the usage and no choice.
    if (choices === undefined || (Array.isArray(choices) && choices.length === 0)) return;
    const choice = (Array.isArray(choices) ? choices[0] : undefined) as Choice | null | undefined;
    if (typeof choice !== 'object' || choice === null) throw malformed();
    if ((choice.index ?? 0) !== 0) return;
    this.#addSaid(choice.message ?? choice.delta ?? {});
    const { finish_reason: end } = choice;
    if (failedEnds.has(end)) throw new WriterFailed(`The answer of the model ended early (${String(end)})`);
    if (typeof end === 'string') this.#isFinished = true;
  }

  /** Ends a streamed response. @throws WriterFailed when it was cut off, or is blank */
  end(isDone: boolean): void {
    if (!this.#isFinished && !isDone) throw new WriterFailed('The answer of the model was cut off', 'unreadable');
    // PostgreSQL cannot store the NUL character.
    this.text = this.text.replaceAll('\0', '').trim();
    if (this.text === '') throw new WriterFailed('The answer of the model is blank');
  }

  #addSaid(said: Said): void {
    if (typeof said !== 'object') throw malformed();
    const { content, tool_calls: tools, function_call: call } = said;
    if ((Array.isArray(tools) && tools.length > 0) || call) throw new WriterFailed('The model tried to call a tool');
    if (typeof content === 'string') this.text += content;
    else if (content !== undefined && content !== null) throw malformed();
  }
}

/** Reads a response that is not streamed. @throws WriterFailed */
export function readWhole(answer: unknown): Completion {
  const completion = new Completion();
  completion.add(answer as CompletionPart);
  completion.end(true);
  return completion;
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
