import type { ToolCall } from '../../../contract/areas/functions/calls.ts';
import { argumentsFailure } from '../functions/call.ts';
import { type CallOutcome, failedCall, timed } from '../functions/outcome.ts';
import type { AgentMedia } from '../media/table.ts';
import { type Abilities, type OfferedTool, offeredTools } from './offer.ts';
import type { Caller, ToolRunner } from './runner.ts';

/** The most bytes of arguments, of a result that a model is told, and of one that is kept. */
const argumentBytes = 16 * 1024;
const toldBytes = 16 * 1024;
const keptBytes = 2 * 1024;

/** The most media of an answer. */
const mediaMax = 3;

/** A call that was made, or refused. */
export interface MadeCall {
  readonly shown: ToolCall;
  readonly outcome: CallOutcome;
  /** The function or server that was called; null for media, and for a call that nobody could answer. */
  readonly called: { readonly type: 'custom_function' | 'mcp_server'; readonly id: string } | null;
}

/** What a model may call for one answer, and what it has called. */
export class Toolbox {
  readonly tools: readonly OfferedTool[];
  /** The files to send after the reply, in the order in which the model chose them. */
  readonly media: AgentMedia[] = [];
  readonly #calls: (MadeCall | undefined)[] = [];
  readonly #abilities: Abilities;
  readonly #caller: Caller;
  readonly #runner: ToolRunner;

  constructor(runner: ToolRunner, abilities: Abilities, caller: Caller) {
    this.#runner = runner;
    this.#abilities = abilities;
    this.#caller = caller;
    this.tools = offeredTools(abilities);
  }

  /** The calls that have ended, in the order in which they were asked for. */
  get calls(): MadeCall[] {
    return this.#calls.filter((call) => call !== undefined);
  }

  /**
   * Calls a tool. Never throws: a call that fails goes back to the model as an error.
   * @param given the arguments, as the model gave them
   * @param signal aborts the call when the answer is out of time
   * @returns what the model is told
   */
  async call(name: string, given: unknown, signal: AbortSignal): Promise<string> {
    const tool = this.tools.find((each) => each.name === name);
    return await this.#keep(name, given, tool, async () => {
      if (!tool) return failedCall('invalid_arguments', `There is no tool with the name '${name}'`);
      if (byteLength(given) > argumentBytes) return failedCall('invalid_arguments', `arguments: must have at most ${argumentBytes} bytes`);
      return argumentsFailure(tool.checked, given) ?? (await this.#run(tool, given as Readonly<Record<string, unknown>>, signal));
    });
  }

  /** Refuses a call without making it. @returns what the model is told */
  async refuse(name: string, given: unknown, text: string): Promise<string> {
    return await this.#keep(name, given, undefined, async () => failedCall('invalid_arguments', text));
  }

  async #run({ name, target }: OfferedTool, given: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallOutcome> {
    if (target.kind === 'media') return this.#chooseMedia(given.name as string);
    return await this.#runner.run({ name, target, arguments: given }, this.#caller, signal);
  }

  #chooseMedia(name: string): CallOutcome {
    const file = this.#abilities.media.find((each) => each.name === name);
    if (!file) return failedCall('invalid_arguments', `There is no file with the name '${name}'`);
    if (!this.media.includes(file)) {
      if (this.media.length >= mediaMax) return failedCall('invalid_arguments', `At most ${mediaMax} files are sent with an answer`);
      this.media.push(file);
    }
    return { ok: true, result: 'The file is sent after your reply.' };
  }

  async #keep(name: string, given: unknown, tool: OfferedTool | undefined, call: () => Promise<CallOutcome>): Promise<string> {
    const place = this.#calls.push(undefined) - 1;
    const { duration, ...outcome } = await timed(() => call().catch(() => failedCall('unreadable')));
    const result = outcome.ok ? outcome.result : { code: outcome.code, text: outcome.text };
    const shown = {
      name,
      arguments: byteLength(given) > argumentBytes ? shortened(given, keptBytes) : (given ?? null),
      ok: outcome.ok,
      result: byteLength(result) > keptBytes ? shortened(result, keptBytes) : result,
      duration_ms: Math.round(duration),
    };
    this.#calls[place] = { shown, outcome, called: calledBy(tool) };
    return shortened(outcome.ok ? outcome.result : { error: outcome.text }, toldBytes);
  }
}

function calledBy(tool: OfferedTool | undefined): MadeCall['called'] {
  if (!tool || tool.target.kind === 'media') return null;
  const { target } = tool;
  return target.kind === 'function' ? { type: 'custom_function', id: target.called.id } : { type: 'mcp_server', id: target.server.id };
}

/** A value as text: JSON, unless it is a text. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function byteLength(value: unknown): number {
  return Buffer.byteLength(textOf(value));
}

/** A value as text of at most so many bytes, in whole characters. */
function shortened(value: unknown, most: number): string {
  const text = textOf(value);
  if (Buffer.byteLength(text) <= most) return text;
  // The decoder keeps back a character that was cut in two.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, most), { stream: true });
}
