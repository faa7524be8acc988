import type { Completion, WantedCall } from './completion.ts';
import { estimateUsage } from './token-costs.ts';
import type { PromptMessage } from './prompts.ts';
import type { ToolOffer, Toolbox, Usage } from './writer.ts';

/** The most rounds of calls of an answer, and the most calls in all of them; refused ones count (rule functions.10). */
const roundsMax = 5;
const callsMax = 8;

/** Sends messages to a model, with the tools that it may call. @throws WriterFailed */
export type AskModel = (messages: readonly PromptMessage[], tools: readonly ToolOffer[]) => Promise<Completion>;

/**
 * Asks a model until it answers. What it calls in a round is called side by side, and goes back to it as messages of the role `tool`.
 * After the last round it is asked once more, without tools.
 * @param toolbox what it may call; null for nothing
 * @param signal aborts the calls when the answer is out of time
 * @returns the text, and the tokens of all rounds
 * @throws WriterFailed
 */
export async function writeInRounds(
  ask: AskModel,
  prompt: readonly PromptMessage[],
  toolbox: Toolbox | null,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly usage: Usage }> {
  const messages = [...prompt];
  let usage: Usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
  for (let round = 0, called = 0; ; round++) {
    const mayCall = toolbox !== null && round < roundsMax && called < callsMax;
    const completion = await ask(messages, mayCall ? toolbox.tools : []);
    const wanted = completion.calls.map((call, index) => ({ ...call, id: call.id ?? `call_${round}_${index}` }));
    usage = sumOf(usage, completion.usage ?? estimateUsage(messages, completion.text + textOf(wanted)));
    if (toolbox === null || wanted.length === 0) return { text: completion.text, usage };
    const results = await Promise.all(wanted.map((call, index) => answerCall(toolbox, call, called + index < callsMax, signal)));
    called += wanted.length;
    messages.push({ role: 'assistant', content: completion.text, tool_calls: wanted.map(asMessage) }, ...results);
  }
}

/** Makes a call, or refuses one too many. @returns the message that tells the model what came of it */
async function answerCall(
  toolbox: Toolbox,
  { id, name, arguments: given }: WantedCall & { readonly id: string },
  isWithinLimit: boolean,
  signal: AbortSignal,
): Promise<PromptMessage> {
  const content = isWithinLimit
    ? await toolbox.call(name, given, signal)
    : await toolbox.refuse(name, given, `An answer makes at most ${callsMax} calls`);
  return { role: 'tool', tool_call_id: id, content };
}

/** A call as the protocol repeats it to the model. */
function asMessage({ id, name, arguments: given }: WantedCall & { readonly id: string }) {
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  return { id, type: 'function', function: { name, arguments: text } } as const;
}

/** What a model wrote to call tools, for the estimate of its tokens. */
function textOf(wanted: readonly WantedCall[]): string {
  return wanted.length === 0 ? '' : JSON.stringify(wanted.map(({ name, arguments: given }) => [name, given]));
}

function sumOf(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}
