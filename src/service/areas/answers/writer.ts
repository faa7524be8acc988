import type { ErrorCode } from '../../../contract/areas/errors/codes.ts';
import type { AlertReason, SessionOutcome } from '../../../contract/areas/sessions/endpoints.ts';
import type { AccountPlan } from '../../../contract/plan.ts';
import type { Choice } from '../sessions/choices.ts';

declare module '../../parts.ts' {
  interface Parts {
    readonly writer: Writer;
  }
}

/** Writes replies and drafts for agents, by built-in rules or with a model at an address. */
export interface Writer {
  /** `sandbox` for the built-in writer, otherwise the host name of the model's address. */
  readonly provider: string;
  /** Whether it works without the network, so that it may run within a transaction. */
  readonly isLocal: boolean;
  /** The name of the model that writes for a tier; null without one. */
  modelOf(tier: Tier): string | null;
  /** Replies to a message from a contact. @param toolbox what a model may call; null for nothing @throws WriterFailed */
  answer(request: AnswerRequest, toolbox?: Toolbox | null): Promise<Written<Reply>>;
  /** Rewrites the texts of an agent according to feedback. @throws WriterFailed */
  optimize(request: OptimizeRequest): Promise<Written<Partial<AgentTexts>>>;
  /** Drafts tagging rules for an agent. @throws WriterFailed */
  draftTags(request: DraftTagsRequest): Promise<Written<readonly DraftedTag[]>>;
  /**
   * Chooses which tagging rules of an agent apply to a conversation. Null without a model: the phrases quoted in the descriptions
   * then decide (`quotedRules`), which needs no call. @throws WriterFailed
   */
  readonly chooseTags: ((request: ChooseTagsRequest) => Promise<Written<ChosenTags>>) | null;
  /** Drafts FAQs from a document. @throws WriterFailed */
  writeFaqs(request: WriteFaqsRequest): Promise<Written<readonly DraftedFaq[]>>;
  /** Sums up a conversation. @throws WriterFailed */
  summarize(request: SummarizeRequest): Promise<Written<string>>;
  /** Aborts the calls in progress, which fail. Later calls fail too. */
  close(): Promise<void>;
}

/** A tool that a model is offered. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string | null;
  /** The JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a model may call while it answers. */
export interface Toolbox {
  readonly tools: readonly ToolOffer[];
  /** Calls a tool. Never throws. @param given the arguments, as the model gave them @returns what the model is told */
  call(name: string, given: unknown, signal: AbortSignal): Promise<string>;
  /** Refuses a call. @param text why @returns what the model is told */
  refuse(name: string, given: unknown, text: string): Promise<string>;
}

/** The result of a call, and the tokens it used. */
export interface Written<Result> {
  readonly result: Result;
  readonly usage: Usage;
}

/** The tokens of a call. */
export interface Usage {
  /** Without tokens read from the provider's cache. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
}

/**
 * The model failed, did not respond in time, or the call was aborted. The message never contains a key or anything that was sent.
 */
export class WriterFailed extends Error {
  /** Why, for the error log. */
  readonly code: ErrorCode;

  constructor(message: string, code: ErrorCode = 'invalid_answer') {
    super(message);
    this.name = 'WriterFailed';
    this.code = code;
  }
}

/** @returns the result of a call, or its failure. @throws any error that is not a WriterFailed */
export async function orFailure<Result>(call: Promise<Result>): Promise<Result | WriterFailed> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof WriterFailed) return error;
    throw error;
  }
}

/** The model refused the request for what it contains, such as a text that is too long. */
export class TextRefused extends WriterFailed {}

/** The call was aborted because the service is stopping. Jobs that can be repeated run again. */
export class WriterStopped extends WriterFailed {
  constructor() {
    super('The service is stopping', 'connection_failed');
    this.name = 'WriterStopped';
  }
}

/** The price tier of a call. */
export type Tier = AccountPlan['ai_model_tiers'][number];

/** The tier of agents without one. */
export const defaultTier: Tier = 'standard';

/** The texts of an agent that instruct the model. */
export interface AgentTexts {
  readonly instructions: string | null;
  readonly rules: string | null;
  readonly goal: string | null;
  readonly personality: string | null;
}

/** The profile of an agent for a writer. */
export interface AgentProfile extends AgentTexts {
  /** The account that asks. Accounts share the connections to a model fairly. */
  readonly accountId: string;
  readonly name: string | null;
  /** As the user wrote it, such as `de`, `de-CH`, `German` or `Deutsch`. */
  readonly language: string | null;
  readonly tier: Tier;
}

/** A FAQ of an agent's knowledge that matches a message. */
export interface FoundFaq {
  readonly faqId: string;
  readonly question: string;
  readonly answer: string;
  /** How well it matches, from 0 to 1 (rule answers.20). */
  readonly score: number;
  /** The source and the page that the FAQ came from; null when it was written by hand. */
  readonly sourceId: string | null;
  readonly url: string | null;
  /** The part of the answer that matches best, its number, and what the answer replies. */
  readonly passage: string;
  readonly place: number;
  readonly reply: string;
}

/** The FAQs that an agent knows about a message. */
export interface Knowledge {
  /** Best first. */
  readonly faqs: readonly FoundFaq[];
  /** Whether the best one answers the message (rule answers.29). */
  readonly isSure: boolean;
  /** The FAQs to choose from when it is not sure which one is meant, best first; empty when there is nothing to ask. */
  readonly rivals: readonly FoundFaq[];
  /**
   * The FAQs that the contact was just asked to choose from, in their order, with null for those that the agent no longer has; null when
   * it was asked nothing.
   */
  readonly choices: readonly (FoundFaq | null)[] | null;
  /** Whether the agent has no FAQs at all, matching or not. */
  readonly isEmpty: boolean;
}

/** A message of a conversation, sent by the contact or by the account. */
export interface EarlierMessage {
  readonly from: 'contact' | 'account';
  readonly text: string;
}

export interface AnswerRequest {
  readonly agent: AgentProfile;
  readonly agentId: string;
  readonly knowledge: Knowledge;
  /** The earlier messages of the conversation, oldest first. */
  readonly earlier: readonly EarlierMessage[];
  readonly message: string;
}

/** The kinds of replies; see `reply.source`. */
export type Reply =
  | { readonly source: 'faq'; readonly text: string; readonly faqId: string }
  /** Asks which of some FAQs is meant. */
  | { readonly source: 'clarify'; readonly text: string; readonly choices: readonly Choice[] }
  | { readonly source: 'greeting' | 'model'; readonly text: string }
  /** The text says that a person will take over. The conversation is handed over with the reason `no_answer`. */
  | { readonly source: 'handover'; readonly text: string };

export interface OptimizeRequest {
  readonly agent: AgentProfile;
  /** The user's description of what should change; null when there is only a complaint about a reply. */
  readonly feedback: string | null;
  /** A reply that was rated down, and the reason. */
  readonly complaint: { readonly message: string | null; readonly feedback: string } | null;
  /** Web pages about the business; empty when an existing agent gets feedback. */
  readonly pages: readonly ReadText[];
}

/** The text of a web page. */
export interface ReadText {
  readonly url: string;
  readonly title: string | null;
  readonly text: string;
}

/** A tagging rule, for a writer. */
interface TagRule {
  readonly tagId: string;
  readonly name: string;
  readonly description: string | null;
  readonly canRemove: boolean;
}

export interface DraftTagsRequest {
  readonly agent: AgentProfile;
  /** Some of the questions from the agent's knowledge. */
  readonly questions: readonly string[];
  /** The existing rules. A draft does not repeat them. */
  readonly existing: readonly Pick<TagRule, 'name' | 'description'>[];
}

export interface DraftedTag {
  readonly name: string;
  readonly description: string;
}

export interface ChooseTagsRequest {
  readonly agent: AgentProfile;
  readonly rules: readonly TagRule[];
  /** The ids of the tags that the contact has. */
  readonly present: readonly string[];
  readonly earlier: readonly EarlierMessage[];
  readonly message: string;
}

/** A section of a document, with its headings. */
export interface ReadSection {
  /** From the outermost heading to the section's own. */
  readonly headings: readonly string[];
  readonly text: string;
}

export interface DraftedFaq {
  readonly question: string;
  readonly answer: string;
}

export interface WriteFaqsRequest {
  readonly accountId: string;
  readonly tier: Tier;
  readonly title: string | null;
  readonly sections: readonly ReadSection[];
  /** The questions that the document marks as such. They are used unchanged. */
  readonly marked: readonly DraftedFaq[];
}

/** Ids of tags from the request's rules. `remove` contains only tags whose rule allows their removal. */
export interface ChosenTags {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** How many messages an agent sent; `isDeleted` when it is gone. */
export interface AgentAnswers {
  readonly name: string | null;
  readonly isDeleted: boolean;
  readonly count: number;
}

/** What is known about a conversation besides its messages. */
export interface ConversationFacts {
  /** The first message of the contact; null when it has not written. */
  readonly asked: string | null;
  /** How many messages each agent sent, the most first, and people, and rules and broadcasts. */
  readonly answers: { readonly agents: readonly AgentAnswers[]; readonly human: number; readonly automated: number };
  /** When the appointments begin that were booked during the conversation, in epoch milliseconds. */
  readonly booked: readonly number[];
  /** Why it was handed to people; empty when it was not. */
  readonly alerts: readonly AlertReason[];
  /** How it ended; null while it is open. */
  readonly outcome: SessionOutcome | null;
}

export interface SummarizeRequest {
  readonly agent: AgentProfile;
  readonly facts: ConversationFacts;
  /** The last messages, oldest first. */
  readonly messages: readonly EarlierMessage[];
}
