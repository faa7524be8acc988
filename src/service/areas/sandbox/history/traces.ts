import { decide, hasKeywordRule } from '../../../../contract/areas/routing/decide.ts';
import { dayLength } from '../../../../contract/time/days.ts';
import type { Db } from '../../../store/database.ts';
import { insertMany } from '../../../store/insert.ts';
import type { NewRow } from '../../../store/table.ts';
import { replyTraces } from '../../inbound/table.ts';
import type { Message } from '../../messages/table.ts';
import { decisions } from '../../routing/table.ts';
import type { HistoryRecords, TopicFaq } from './records.ts';

/** How far back the replies of agents are explained, in milliseconds. */
const explainedFor = 7 * dayLength;

type Said = Pick<Message, 'id' | 'account_id' | 'contact_id' | 'channel' | 'own_identity' | 'body' | 'created_at'>;

/** Collects why agents answered, and with what. */
export class HistoryTraces {
  readonly #records: HistoryRecords;
  readonly #since: number;
  readonly #decisions: NewRow<typeof decisions>[] = [];
  readonly #traces: NewRow<typeof replyTraces>[] = [];

  /** @param now the end of the history, in epoch milliseconds */
  constructor(records: HistoryRecords, now: number) {
    this.#records = records;
    this.#since = now - explainedFor;
  }

  /**
   * Explains a reply.
   * @param agentBefore the contact's agent when it wrote; null for a contact without one
   * @param faq null for a reply that hands over
   */
  add(asked: Said, reply: Said, agentBefore: string | null, hasWritten: boolean, faq: TopicFaq | null): void {
    if (reply.created_at < this.#since) return;
    const { rules } = this.#records;
    const decision = decide({
      arrival: { kind: 'message', text: asked.body },
      channel: asked.channel,
      ownIdentity: asked.own_identity,
      takeover: 'none',
      agentId: agentBefore,
      broadcast: null,
      hasWritten,
      rules,
      hasKeywordRule: hasKeywordRule(rules, asked.channel),
      activeAgents: this.#records.agents,
    });
    const { account_id, contact_id } = asked;
    this.#decisions.push({ ...decision, account_id, contact_id, message_id: asked.id, created_at: asked.created_at });
    this.#traces.push({
      message_id: reply.id,
      account_id,
      contact_id,
      reply_to: asked.id,
      source: faq ? 'faq' : 'handover',
      faqs: faq ? [{ faq_id: faq.id, question: faq.question, score: 1, chosen: true }] : [],
      duration_ms: reply.created_at - asked.created_at,
      tool_calls: [],
      created_at: reply.created_at,
    });
  }

  async save(db: Db): Promise<void> {
    await insertMany(db, decisions, this.#decisions);
    await insertMany(db, replyTraces, this.#traces);
  }
}
