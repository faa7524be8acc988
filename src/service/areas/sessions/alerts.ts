import type { AlertReason } from '../../../contract/areas/sessions/endpoints.ts';
import { preparedChange } from '../../store/prepared.ts';
import type { Db } from '../../store/database.ts';
import type { Journal } from '../activity/journal.ts';
import { countSession } from './conclude.ts';
import type { ChatSession } from './table.ts';

/**
 * Hands a conversation to people and emits `the service Alerted`, once for each reason (rule sessions.10). This does not take the
 * conversation over.
 */
export async function alertPeople(db: Db, journal: Journal, session: ChatSession, agentId: string, reason: AlertReason): Promise<void> {
  if (session.alerts.includes(reason)) return;
  const alerts = [...session.alerts, reason];
  await setAlerts(db, { id: session.id, alerts: JSON.stringify(alerts) });
  const alert = { contact_id: session.contact_id, chat_session_id: session.id, agent_id: agentId, reason };
  journal.emit('the service Alerted', () => ({ alert }));
  const text = `${reasonTexts[reason]}. Answer the contact, or resume the agent.`;
  journal.notify({
    kind: 'people_alerted',
    title: 'A conversation needs a person',
    text,
    entity: { type: 'chat_session', id: session.id },
  });
  countSession(journal, session, { ...session, alerts });
}

/** Why an agent hands a conversation over, for people. */
const reasonTexts: Readonly<Record<AlertReason, string>> = {
  no_answer: 'The agent has no answer',
  asked: 'The contact asked for a person',
  max_messages: 'The agent has sent as many messages as it may',
  model_failed: 'The model failed',
};

const setAlerts = preparedChange<{ id: string; alerts: string }>((db, $) =>
  db.updateTable('chat_sessions').set({ alerts: $.alerts }).where('id', '=', $.id),
);
