import { preparedChange } from '../../store/prepared.ts';
import type { Db } from '../../store/database.ts';
import type { ChatSession } from './table.ts';

/** How long a contact can choose from the FAQs that it was asked about, in milliseconds (rule answers.45). */
const timeToChoose = 3_600_000;

/** The ids of the FAQs that the contact was asked to choose from with the last reply; null when it was asked nothing, or too long ago. */
export function openChoices(session: ChatSession | null, now: number): readonly string[] | null {
  const choices = session?.choices;
  return choices && now - choices.asked_at <= timeToChoose ? choices.faq_ids : null;
}

/** Keeps what a contact was asked to choose from, or that it was asked nothing. */
export async function keepChoices(db: Db, session: ChatSession, faqIds: readonly string[] | null, now: number): Promise<void> {
  if (faqIds === null && session.choices === null) return;
  await setChoices(db, { id: session.id, choices: faqIds && JSON.stringify({ faq_ids: faqIds, asked_at: now }) });
}

const setChoices = preparedChange<{ id: string; choices: string | null }>((db, $) =>
  db.updateTable('chat_sessions').set({ choices: $.choices }).where('id', '=', $.id),
);
