import { firstCharacters } from '../../../contract/text/first-characters.ts';
import { counted } from '../../../contract/text/counted.ts';
import type { AlertReason, SessionOutcome } from '../../../contract/areas/sessions/endpoints.ts';
import { iso } from '../../../contract/time/instants.ts';
import { sentencesOf } from '../faqs/language/sentences.ts';
import type { ConversationFacts } from './writer.ts';

/** How much of the first message is quoted, in characters, and how many appointments are named. */
const quotedMax = 200;
const bookingsNamed = 3;

/** Describes a conversation in at most six sentences. */
export function describeConversation({ asked, answers, booked, alerts, outcome }: ConversationFacts): string {
  return [
    asked === null ? 'The contact has not written.' : `The contact asked first: “${quotedOf(asked)}”.`,
    answeredBy(answers),
    bookedText(booked),
    alerts.length === 0
      ? 'It was not handed to people.'
      : `It was handed to people because ${alerts.map((reason) => causes[reason]).join(', and ')}.`,
    outcome === null ? 'The conversation is still open.' : `In the end, ${outcomes[outcome]}.`,
  ].join(' ');
}

/** The first sentence of a message, in one line and without its full stop. */
function quotedOf(text: string): string {
  const line = text.trim().replace(/\s+/gu, ' ');
  const sentence = line.slice(0, sentencesOf(line)[0]?.end).trim();
  const shown = firstCharacters(sentence, quotedMax);
  return (shown === sentence ? shown : `${shown}…`).replace(/[.。]$/u, '');
}

function answeredBy({ agents, human, automated }: ConversationFacts['answers']): string {
  const named = [
    ...agents.map(
      ({ name, isDeleted, count }) => `${isDeleted ? 'a deleted agent' : (name ?? 'the agent')} with ${counted(count, 'message')}`,
    ),
    human > 0 ? `the team with ${counted(human, 'message')}` : [],
    automated > 0 ? `automation with ${counted(automated, 'message')}` : [],
  ].flat();
  return named.length === 0 ? 'Nobody has answered.' : `Those who wrote to the contact: ${named.join(', ')}.`;
}

function bookedText(booked: readonly number[]): string {
  if (booked.length === 0) return 'Nothing was booked.';
  const times = booked.slice(0, bookingsNamed).map((at) => iso(at).slice(0, 16).replace('T', ' '));
  const others = booked.length > bookingsNamed ? ` and ${booked.length - bookingsNamed} more` : '';
  return `${booked.length === 1 ? 'An appointment was' : `${booked.length} appointments were`} booked: ${times.join(', ')}${others} (UTC).`;
}

/** Why it was handed over. */
const causes: Readonly<Record<AlertReason, string>> = {
  no_answer: 'the agent had no answer',
  asked: 'the contact asked for a person',
  max_messages: 'the agent had sent as many messages as it may',
  model_failed: 'the model failed',
};

const outcomes: Readonly<Record<SessionOutcome, string>> = {
  handed_off: 'people took over',
  replied: 'the contact replied',
  answered: 'the contact got an answer',
  unanswered: 'the contact got no answer',
  no_reply: 'the contact did not reply',
};
