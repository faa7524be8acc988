import { getMe } from '../../contract/areas/whoami/endpoints.ts';
import type { Client } from '../../client/client.ts';
import type { Session } from '../verb/noun.ts';
import type { Ready } from './run-plan.ts';

/** One of several accounts, with a client that acts on it. */
export interface ActedAccount {
  readonly id: string;
  readonly name: string;
  readonly session: Session;
  readonly client: Client;
}

/** An account and the plan for it. */
export interface PlannedAccount extends Ready, Omit<ActedAccount, 'id'> {}

/** The accounts of a command, each with its own client. Their requests share one rate limit. @throws the errors of the client */
export async function accountClients(session: Session): Promise<ActedAccount[]> {
  session.targets.pace();
  const found: ActedAccount[] = [];
  for (const { id, name } of session.accounts ?? []) {
    const targets = await session.targets.forAccount(id);
    const client = await targets.client();
    const accountId = id ?? (await client.call(getMe, {})).user.id;
    found.push({ id: accountId, name: name ?? accountId, client, session: { ...session, targets } });
  }
  return found;
}
