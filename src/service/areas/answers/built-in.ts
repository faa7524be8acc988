import { stepByStep } from '../../flow/steps.ts';
import { westernDigits } from '../faqs/language/letters.ts';
import { areNegated } from '../faqs/language/negations.ts';
import { wordsOf } from '../faqs/language/words.ts';
import { draftFaqs } from './drafted-faqs.ts';
import { draftTags } from './drafted-tags.ts';
import { describeConversation } from './conversation-facts.ts';
import { clarifyingOf, greetingOf, handoverOf, isGreeting } from './greetings.ts';
import { estimateUsage } from './token-costs.ts';
import { answerPrompt, draftTagsPrompt, faqPrompts, optimizePrompt, summaryPrompt } from './prompts.ts';
import { goodEnough, isSure, leastLead } from './rivals.ts';
import type { AgentTexts, AnswerRequest, FoundFaq, Knowledge, OptimizeRequest, ReadText, Reply, Writer } from './writer.ts';

/** The maximum number of words, and of characters, of a message that chooses by a number. */
const chosenWords = 3;
const chosenLength = 20;

/** The only digit of a text. A letter behind it makes it something else, such as 2pm and 2名, unless it says "number". */
const onlyDigit = /^\P{N}*([0-9])(?:(?:\s|[番号號个個번で]|\P{L})\P{N}*)?$/u;

/** Writes by fixed rules, without a model or the network. */
export const builtIn: Writer = {
  provider: 'sandbox',
  isLocal: true,

  modelOf: () => null,

  answer: async (request) => {
    const reply = replyTo(request);
    return { result: reply, usage: estimateUsage(answerPrompt(request), reply.text) };
  },

  optimize: async (request) => {
    const texts = withFeedback(request);
    return { result: texts, usage: estimateUsage(optimizePrompt(request), JSON.stringify(texts)) };
  },

  draftTags: async (request) => {
    const tags = draftTags(request);
    return { result: tags, usage: estimateUsage(draftTagsPrompt(request), JSON.stringify(tags)) };
  },

  writeFaqs: async (request) => {
    const pause = stepByStep();
    const drafts = await draftFaqs(request, pause);
    const prompts = faqPrompts(request).flat();
    await pause();
    return { result: drafts, usage: estimateUsage(prompts, JSON.stringify(drafts)) };
  },

  summarize: async (request) => {
    const text = describeConversation(request.facts);
    return { result: text, usage: estimateUsage(summaryPrompt(request), text) };
  },

  chooseTags: null,

  close: async () => {},
};

function replyTo({ agent, knowledge, message }: AnswerRequest): Reply {
  const { faqs, isSure: hasAnswer, rivals, choices, isEmpty } = knowledge;
  const faq = (choices && chosenFaq(message, choices, faqs)) ?? (hasAnswer ? faqs[0] : undefined);
  if (faq) return { source: 'faq', text: faq.reply, faqId: faq.faqId };
  const greets = isEmpty || isGreeting(message, agent.name);
  // It asks once in a row at most, and not when a greeting finds a FAQ only weakly.
  const [best] = rivals;
  if (best && choices === null && (!greets || best.score >= goodEnough)) return clarify(rivals, agent.language);
  if (greets) return { source: 'greeting', text: greetingOf(agent.name, agent.language) };
  return { source: 'handover', text: handoverOf(agent.language) };
}

function clarify(faqs: readonly FoundFaq[], language: string | null): Reply {
  const text = clarifyingOf(
    faqs.map(({ question }) => question),
    language,
  );
  return { source: 'clarify', text, choices: faqs.map(({ faqId, place }) => ({ faqId, place })) };
}

/**
 * The FAQ that a contact chose from some: by its number, or because the message finds it and clearly none of the others.
 * @param choices what the contact can choose from, with null for what is gone
 * @param found the FAQs that the message finds, best first
 */
function chosenFaq(message: string, choices: NonNullable<Knowledge['choices']>, found: readonly FoundFaq[]): FoundFaq | null | undefined {
  const number = chosenNumber(message);
  if (number !== undefined) return choices[number - 1];
  const again = found.filter(({ faqId }) => choices.some((choice) => choice?.faqId === faqId));
  const [best] = again;
  // A message that finds something else much better asks for that.
  if (!best || !isSure(again) || found.some(({ score }) => score - best.score >= leastLead)) return undefined;
  return choices.find((choice) => choice?.faqId === best.faqId);
}

/** The only digit of a short message, in any script: 2, "number 2", "2 please". One that asks or negates chooses nothing. */
function chosenNumber(message: string): number | undefined {
  const text = westernDigits(message.normalize('NFKC')).trim();
  const [, digit] = onlyDigit.exec(text) ?? [];
  if (digit === undefined || text.length > chosenLength || text.split(/\s+/u).length > chosenWords) return undefined;
  const { language, words } = wordsOf(text);
  const terms = words.map(({ term }) => term);
  if (areNegated(terms, language) || (/[?؟]$/u.test(text) && text.length > 2)) return undefined;
  return Number(digit);
}

/**
 * The instructions, with the feedback appended as another line and without repeated lines. A complaint about a reply quotes the
 * reply. Feedback that the instructions already contain changes nothing.
 */
function withFeedback({ agent, feedback, complaint, pages }: OptimizeRequest): Partial<AgentTexts> {
  const lines = (agent.instructions ?? '').split('\n').map((line) => line.trimEnd());
  if (feedback !== null) lines.push(sentence(feedback));
  if (complaint)
    lines.push(complaint.message === null ? sentence(complaint.feedback) : complaintLine(complaint.message, complaint.feedback));
  lines.push(...pages.map(pageLine));
  const seen = new Set<string>();
  const kept = lines.filter((line) => line === '' || (!seen.has(line) && seen.add(line)));
  return {
    instructions: kept
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  };
}

/** The maximum number of characters of a page that the instructions quote. */
const pageQuoted = 500;

/** The beginning of a page's text, cut at the end of a sentence or else at the end of a word. */
function pageLine({ url, title, text }: ReadText): string {
  const start = oneLine(text).slice(0, pageQuoted);
  const end = start.length < pageQuoted ? start.length : Math.max(start.lastIndexOf('. ') + 1, start.lastIndexOf(' '));
  return `${oneLine(title ?? url)}: ${sentence(start.slice(0, end))}`;
}

function complaintLine(message: string, feedback: string): string {
  return `Do not reply as in “${oneLine(message)}”: ${sentence(feedback)}`;
}

function sentence(text: string): string {
  const line = oneLine(text);
  return /[.!?…。！？]$/u.test(line) ? line : `${line}.`;
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/gu, ' ');
}
