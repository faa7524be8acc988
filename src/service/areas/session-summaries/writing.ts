import type { ErrorCode } from '../../../contract/areas/errors/codes.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { dayOf } from '../activity/counts.ts';
import type { Journal } from '../activity/journal.ts';
import { recordCall } from '../answers/calls.ts';
import type { SummarizeRequest, Writer, Written } from '../answers/writer.ts';
import { summaryCost } from '../credits/rules.ts';
import { requireSession } from '../sessions/records.ts';
import type { ChatSession } from '../sessions/table.ts';
import { type Summary, summaries } from '../summaries/table.ts';

/**
 * Charges for a summary and keeps it: a conversation has one, whose text is replaced.
 * @throws ApiError 404 when the conversation was deleted meanwhile, 402 without enough credits
 */
export async function keepSummary(
  db: Db,
  journal: Journal,
  { provider }: Writer,
  { agent: { tier } }: SummarizeRequest,
  { id: sessionId }: ChatSession,
  { result: text, usage }: Written<string>,
): Promise<Summary> {
  const { account, now } = journal;
  const session = await requireSession(db, account.id, sessionId);
  const { agent_id: agentId, campaign_id: campaignId } = session;
  const ledgerId = await journal.post({ millionths: -summaryCost, reason: 'summary', agentId, campaignId });
  await recordCall(db, account, { kind: 'summary', provider, tier, usage, agentId, campaignId, ledgerId }, now);
  const row = {
    id: newId('sum'),
    account_id: account.id,
    kind: 'session',
    day: dayOf(session.started_at),
    chat_session_id: session.id,
    contact_id: session.contact_id,
    text,
    created_at: now,
  } as const;
  const [kept] = await insertMany(db, summaries, [row], 'on conflict (chat_session_id) do update set text = excluded.text returning *');
  return kept as Summary;
}

/** Logs that the model of a summary failed. */
export function noteFailure(journal: Journal, { agent_id: id, contact_id: contactId }: ChatSession, code: ErrorCode): void {
  journal.fail({ source: 'model', code, entity: { type: 'agent', id }, contactId });
}
