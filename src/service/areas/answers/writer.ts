import type { Plan } from '../../../contract/plan.ts';

/** What writes for agents: the built-in rules, or a model behind an address. */
export interface Writer {
  /** `sandbox` for the built-in one, else the host name of the model's address. */
  readonly provider: string;
  /** Whether it needs no network, so that it may write within a transaction. */
  readonly isLocal: boolean;
  /** Answers a message of a contact. @throws WriterFailed */
  answer(request: AnswerRequest): Promise<Written<Reply>>;
  /** Rewrites the texts of an agent after feedback. @throws WriterFailed */
  optimize(request: OptimizeRequest): Promise<Written<Partial<AgentTexts>>>;
  /** Drafts tagging rules for an agent. @throws WriterFailed */
  draftTags(request: DraftTagsRequest): Promise<Written<readonly DraftedTag[]>>;
  /**
   * Chooses which tagging rules of an agent apply to a conversation. Null without a model: then the phrases that the
   * descriptions quote decide (`quotedRules`), which needs no call. @throws WriterFailed
   */
  readonly chooseTags: ((request: ChooseTagsRequest) => Promise<Written<ChosenTags>>) | null;
  /** Drafts FAQs from a document. @throws WriterFailed */
  writeFaqs(request: WriteFaqsRequest): Promise<Written<readonly DraftedFaq[]>>;
  /** Cuts off the calls in progress, as failed. Later calls fail too. */
  close(): Promise<void>;
}

/** What a call wrote, and what it used. */
export interface Written<Result> {
  readonly result: Result;
  readonly usage: Usage;
}

/** The tokens of a call. */
export interface Usage {
  /** Without those read from the provider's cache. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
}

/** The model failed, did not answer in time, or was cut off. The message names no key and nothing that was sent. */
export class WriterFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WriterFailed';
  }
}

/** @returns what a call wrote, or how it failed. @throws what is no failure of the writer */
export async function orFailure<Result>(call: Promise<Result>): Promise<Result | WriterFailed> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof WriterFailed) return error;
    throw error;
  }
}

/** The call was cut off because the service stops. What can run again does. */
export class WriterStopped extends WriterFailed {
  constructor() {
    super('The service is stopping');
    this.name = 'WriterStopped';
  }
}

/** What a call costs by. */
export type Tier = Plan['ai_model_tiers'][number];

/** The tier of an agent that has none. */
export const defaultTier: Tier = 'standard';

/** The texts of an agent that tell a model what to do. */
export interface AgentTexts {
  readonly instructions: string | null;
  readonly rules: string | null;
  readonly goal: string | null;
  readonly personality: string | null;
}

/** An agent, as a writer knows it. */
export interface AgentProfile extends AgentTexts {
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
  /** The source that it came from, and its page; null when it was written by hand. */
  readonly sourceId: string | null;
  readonly url: string | null;
}

/** What an agent knows about a message. */
export interface Knowledge {
  /** Best first. */
  readonly faqs: readonly FoundFaq[];
  /** Whether the agent has no FAQ at all, found or not. */
  readonly isEmpty: boolean;
}

/** A message of a conversation, by the contact or by the account. */
export interface Turn {
  readonly from: 'contact' | 'account';
  readonly text: string;
}

export interface AnswerRequest {
  readonly agent: AgentProfile;
  readonly knowledge: Knowledge;
  /** The conversation before the message, oldest first. */
  readonly earlier: readonly Turn[];
  readonly message: string;
}

/** The kinds of answers, as `reply.source` names them. */
export type Reply =
  | { readonly source: 'faq'; readonly text: string; readonly faqId: string }
  | { readonly source: 'greeting' | 'model'; readonly text: string }
  /** The text says that a person will follow. The conversation is handed over with the reason `no_answer`. */
  | { readonly source: 'handover'; readonly text: string };

export interface OptimizeRequest {
  readonly agent: AgentProfile;
  /** What should change, as the user said it; null for a complaint about one reply. */
  readonly feedback: string | null;
  /** A reply that was rated down, and why. */
  readonly complaint: { readonly message: string | null; readonly feedback: string } | null;
  /** Web pages about the business; empty for feedback on an agent. */
  readonly pages: readonly ReadText[];
}

/** A web page that was read. */
export interface ReadText {
  readonly url: string;
  readonly title: string | null;
  readonly text: string;
}

/** A tagging rule, as a writer knows it. */
export interface TagRule {
  readonly tagId: string;
  readonly name: string;
  readonly description: string | null;
  readonly canRemove: boolean;
}

export interface DraftTagsRequest {
  readonly agent: AgentProfile;
  /** The questions of the agent's knowledge, some of them. */
  readonly questions: readonly string[];
  /** The rules that there are. A draft does not repeat them. */
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
  readonly earlier: readonly Turn[];
  readonly message: string;
}

/** A part of a document, below its headings. */
export interface ReadSection {
  /** From the outermost to its own. */
  readonly headings: readonly string[];
  readonly text: string;
}

export interface DraftedFaq {
  readonly question: string;
  readonly answer: string;
}

export interface WriteFaqsRequest {
  readonly tier: Tier;
  readonly title: string | null;
  readonly sections: readonly ReadSection[];
  /** The questions that the document marks as such. They are taken as they are. */
  readonly marked: readonly DraftedFaq[];
}

/** The ids of tags of the request's rules. `remove` has only those that their rule lets go. */
export interface ChosenTags {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}
