import type { routingSteps } from '../../../contract/areas/sandbox/endpoints.ts';
import type { Contact } from '../contacts/table.ts';

/** Who answers a message, and the routing step that decided it. */
export interface Decision {
  readonly step: (typeof routingSteps)[number];
  readonly agentId: string | null;
  readonly entryPointId: string | null;
}

/** The input of the routing of a message. */
interface Situation {
  readonly contact: Pick<Contact, 'paused' | 'taken_over' | 'agent_id'>;
  /** The broadcast that the contact replies to. */
  readonly broadcast: { readonly agent_id: string | null } | undefined;
}

/** Decides who answers a message: the first step of the routing order that applies (rule messages.34). */
export function decide({ contact, broadcast }: Situation): Decision {
  if (contact.paused || contact.taken_over) return { step: 'takeover', agentId: null, entryPointId: null };
  if (contact.agent_id !== null) return { step: 'existing_agent', agentId: contact.agent_id, entryPointId: null };
  if (broadcast) return { step: 'broadcast_reply', agentId: broadcast.agent_id, entryPointId: null };
  return { step: 'none', agentId: null, entryPointId: null };
}
