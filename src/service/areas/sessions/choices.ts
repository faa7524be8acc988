import { preparedChange } from '../../store/prepared.ts';
import type { Db } from '../../store/database.ts';
import type { ChatSession } from './table.ts';

/** How long a contact can choose from the FAQs that it was asked about, in milliseconds (rule answers.45). */
const timeToChoose = 3_600_000;

/** A FAQ that a contact can choose, and the number of its passage that matches what the contact asked. */
export interface Choice {
  readonly faqId: string;
  readonly place: number;
}

/** What the contact was asked to choose from with the last reply; null when it was asked nothing, or too long ago. */
export function openChoices(session: ChatSession | null, now: number): readonly Choice[] | null {
  const choices = session?.choices;
  if (!choices || now - choices.asked_at > timeToChoose) return null;
  return choices.faq_ids.map((faqId, index) => ({ faqId, place: choices.places?.[index] ?? 0 }));
}

/** Keeps what a contact was asked to choose from, or that it was asked nothing. */
export async function keepChoices(db: Db, session: ChatSession, choices: readonly Choice[] | null, now: number): Promise<void> {
  if (choices === null && session.choices === null) return;
  const stored: ChatSession['choices'] = choices && {
    faq_ids: choices.map(({ faqId }) => faqId),
    places: choices.map(({ place }) => place),
    asked_at: now,
  };
  await setChoices(db, { id: session.id, choices: stored && JSON.stringify(stored) });
}

const setChoices = preparedChange<{ id: string; choices: string | null }>((db, $) =>
  db.updateTable('chat_sessions').set({ choices: $.choices }).where('id', '=', $.id),
);
