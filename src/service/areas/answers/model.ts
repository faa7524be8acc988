import * as z from 'zod';
import { firstCharacters } from '../../../contract/text/first-characters.ts';
import { limits } from '../../../contract/limits.ts';
import { handoverOf } from './greetings.ts';
import type { Completion } from './completion.ts';
import { stepByStep } from '../../flow/steps.ts';
import { eachOnce } from './drafted-faqs.ts';
import { LazyModelClient } from './lazy-model-client.ts';
import type { WritingSettings } from './model-settings.ts';
import { type AskModel, writeInRounds } from './rounds.ts';
import { estimateUsage } from './token-costs.ts';
import {
  answerPrompt,
  chooseTagsPrompt,
  draftTagsPrompt,
  faqPrompts,
  handoverWord,
  optimizePrompt,
  type PromptMessage,
  summaryPrompt,
} from './prompts.ts';
import {
  type AgentTexts,
  type AnswerRequest,
  type ChooseTagsRequest,
  type ChosenTags,
  type DraftedFaq,
  type DraftedTag,
  type DraftTagsRequest,
  type OptimizeRequest,
  type Reply,
  type SummarizeRequest,
  type Tier,
  type Toolbox,
  type Writer,
  WriterFailed,
  type WriteFaqsRequest,
  type Written,
} from './writer.ts';

const rewrite = () =>
  z
    .object({ instructions: z.string(), rules: z.string(), goal: z.string(), personality: z.string() })
    .partial()
    .refine((texts) => Object.values(texts).some((text) => text !== undefined));

const draft = () =>
  z
    .array(
      z.object({ name: z.string().trim().min(1).max(limits.nameLength), description: z.string().trim().min(1).max(limits.textLength) }),
    )
    .min(1)
    .max(20);

const drafted = () =>
  z
    .array(z.object({ question: z.string().trim().min(1).max(limits.textLength), answer: z.string().trim().min(1).max(limits.textLength) }))
    .max(200);

const choice = () => z.object({ add: z.array(z.string()), remove: z.array(z.string()).default([]) });

/** Writes with a model at an address. */
export class ModelWriter implements Writer {
  readonly provider: string;
  readonly isLocal = false;
  readonly #settings: WritingSettings;
  readonly #client: LazyModelClient;

  constructor(settings: WritingSettings, client = new LazyModelClient(settings)) {
    this.#settings = settings;
    this.#client = client;
    this.provider = new URL(settings.baseUrl).hostname;
  }

  modelOf(tier: Tier): string {
    return this.#settings.models[tier];
  }

  async answer(request: AnswerRequest, toolbox: Toolbox | null = null): Promise<Written<Reply>> {
    const { text, ...written } = await this.#answer(request, toolbox?.tools.length ? toolbox : null);
    if (new RegExp(`^\\W*${handoverWord}\\W*$`, 'i').test(text)) {
      return { ...written, result: { source: 'handover', text: handoverOf(request.agent.language) } };
    }
    if (firstCharacters(text, limits.textLength) !== text)
      throw new WriterFailed('The answer of the model is longer than a message can be');
    return { ...written, result: { source: 'model', text } };
  }

  async optimize(request: OptimizeRequest): Promise<Written<Partial<AgentTexts>>> {
    const { text, ...written } = await this.#write(request.agent.accountId, request.agent.tier, optimizePrompt(request));
    return { ...written, result: parse(rewrite(), text) };
  }

  async draftTags(request: DraftTagsRequest): Promise<Written<readonly DraftedTag[]>> {
    const { text, ...written } = await this.#write(request.agent.accountId, request.agent.tier, draftTagsPrompt(request));
    return { ...written, result: parse(draft(), text) };
  }

  readonly chooseTags = async (request: ChooseTagsRequest): Promise<Written<ChosenTags>> => {
    const { text, ...written } = await this.#write(request.agent.accountId, request.agent.tier, chooseTagsPrompt(request));
    const { add, remove } = parse(choice(), text);
    // Contacts can manipulate the model with their messages, so only tags that the rules allow are accepted.
    const known = new Map(request.rules.map((rule) => [rule.tagId, rule]));
    const added = add.filter((id) => known.has(id));
    return { ...written, result: { add: added, remove: remove.filter((id) => known.get(id)?.canRemove === true && !added.includes(id)) } };
  };

  async writeFaqs(request: WriteFaqsRequest): Promise<Written<readonly DraftedFaq[]>> {
    const drafts: DraftedFaq[] = [...request.marked];
    let usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
    for (const prompt of faqPrompts(request)) {
      const { text, usage: more } = await this.#write(request.accountId, request.tier, prompt);
      drafts.push(...parse(drafted(), text));
      usage = {
        inputTokens: usage.inputTokens + more.inputTokens,
        cachedInputTokens: usage.cachedInputTokens + more.cachedInputTokens,
        outputTokens: usage.outputTokens + more.outputTokens,
      };
    }
    return { result: await eachOnce(drafts, stepByStep()), usage };
  }

  async summarize(request: SummarizeRequest): Promise<Written<string>> {
    const { text, ...written } = await this.#write(request.agent.accountId, request.agent.tier, summaryPrompt(request));
    if (text.length > limits.textLength) throw new WriterFailed('The summary of the model is too long');
    return { ...written, result: text };
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** Asks for an answer, within the time limit for all rounds of calls together. */
  async #answer(request: AnswerRequest, toolbox: Toolbox | null) {
    const { accountId, tier } = request.agent;
    const client = await this.#client.get();
    const { timeout } = client;
    const deadline = performance.now() + timeout;
    const ask: AskModel = (messages, tools) =>
      client.complete(accountId, this.modelOf(tier), messages, tools, deadline - performance.now());
    return await writeInRounds(ask, answerPrompt(request, toolbox !== null), toolbox, AbortSignal.timeout(timeout));
  }

  /** Sends a prompt. The usage is as reported by the model, or else estimated from the number of characters. */
  async #write(accountId: string, tier: Tier, prompt: readonly PromptMessage[]): Promise<Pick<Written<never>, 'usage'> & { text: string }> {
    const client = await this.#client.get();
    const { text, usage }: Completion = await client.complete(accountId, this.#settings.models[tier], prompt);
    return { text, usage: usage ?? estimateUsage(prompt, text) };
  }
}

/** Parses the JSON of a response. Models often put it between code fences. @throws WriterFailed */
function parse<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
  const trimmed = text.trim();
  const bare = trimmed.endsWith('```') ? trimmed.slice(0, -3).replace(/^```\w*/, '') : trimmed.replace(/^```\w*/, '');
  try {
    return schema.parse(JSON.parse(bare));
  } catch {
    throw new WriterFailed('The model did not answer in the requested form');
  }
}
