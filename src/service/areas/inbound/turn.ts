import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { Db } from '../../store/database.ts';
import { type AnsweringAgent, findAnsweringAgent } from '../agents/answering.ts';
import { contacts, type Contact } from '../contacts/table.ts';
import type { KnownForSends } from '../messages/send.ts';
import { findMessage } from '../messages/records.ts';
import type { Message } from '../messages/table.ts';
import { type EntryPoint, entryPoints } from '../routing/table.ts';
import { findSession } from '../sessions/records.ts';
import type { ChatSession } from '../sessions/table.ts';
import type { Received } from './receive.ts';

/** What an agent replies to, in its state at the time of the reply. */
export interface Turn {
  readonly agent: AnsweringAgent;
  readonly contact: Contact;
  readonly channel: ChannelName;
  /** The contact's message; null for a new follower. */
  readonly message: Message | null;
  /** The conversation; null for a new follower without one. */
  readonly session: ChatSession | null;
  /** The entry point that decided, if one did. */
  readonly entryPoint: EntryPoint | undefined;
  /** What the transaction has already read. */
  readonly known: KnownForSends | undefined;
}

/** The turn of the agent that answers a contact's action; undefined when nobody answers. */
export function turnOf({ agent, entryPoint, contact, channel, message, session, known }: Received): Turn | undefined {
  return agent && { agent, contact, channel, message, session, entryPoint, known };
}

/** A turn that continues later: the ids of the records that must then be read again. */
export interface LaterTurn {
  readonly agentId: string;
  readonly contactId: string;
  readonly channel: ChannelName;
  readonly messageId: string | null;
  readonly sessionId: string | null;
  readonly entryPointId: string | null;
  /** Whether the tagging rules have been applied. */
  readonly isTagged?: true;
}

/** Collects the ids that are needed to continue a turn later. */
export function laterTurn({ agent, contact, channel, message, session, entryPoint }: Turn): LaterTurn {
  const entryPointId = entryPoint && hasReplySettings(entryPoint) ? entryPoint.id : null;
  return {
    agentId: agent.id,
    contactId: contact.id,
    channel,
    messageId: message?.id ?? null,
    sessionId: session?.id ?? null,
    entryPointId,
  };
}

/** Whether an entry point of this type has its own settings for the reply. The other types only decide who answers. */
export function hasReplySettings({ type }: EntryPoint): boolean {
  return type !== 'keyword' && type !== 'channel_default';
}

/** Reads a turn again; undefined when the agent, the contact, the message or the entry point was deleted in the meantime. */
export async function readTurn(db: Db, accountId: string, later: LaterTurn): Promise<Turn | undefined> {
  const { channel, messageId, sessionId, entryPointId } = later;
  const agent = await findAnsweringAgent(db, accountId, later.agentId);
  const contact = await contacts.find(db, accountId, later.contactId);
  const message = messageId === null ? null : await findMessage(db, accountId, messageId);
  const entryPoint = entryPointId === null ? undefined : await entryPoints.find(db, accountId, entryPointId);
  if (!agent || !contact || message === undefined || (entryPointId !== null && !entryPoint)) return undefined;
  const session = sessionId === null ? null : ((await findSession(db, accountId, sessionId)) ?? null);
  return { agent, contact, channel, message, session, entryPoint, known: undefined };
}
