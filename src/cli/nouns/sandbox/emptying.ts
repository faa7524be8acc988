import { kindNames } from '../../../account-as-code/kind.ts';
import { kinds } from '../../../account-as-code/kinds.ts';
import { readLive } from '../../../account-as-code/live.ts';
import type { Client } from '../../../client/client.ts';
import { InterfaceError } from '../../../client/errors.ts';
import { listSubAccounts } from '../../../contract/areas/accounts/endpoints.ts';
import { listContacts } from '../../../contract/areas/contacts/endpoints.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import * as contract from '../../../contract/areas/sandbox/endpoints.ts';
import type { Question, Session } from '../../command/noun.ts';
import { exitCodes } from '../../errors.ts';
import { toCliError } from '../../explain.ts';
import { requireAccountId } from '../../lookups/sandbox-account.ts';
import { counted } from '../../output/counted.ts';

/** How many contacts and sub-accounts are counted; of more, the question says so. */
const mostCounted = 1_000;

/**
 * The question before the store is emptied: what it holds, and the name of its account to type.
 * @param then what follows, as words for the question
 */
export async function emptyingQuestion(session: Session | null, then = ''): Promise<Question> {
  if (!session) return { text: `Delete everything in the store${then}?`, name: '' };
  const name = await nameToType(session);
  const held = await contentOf(session);
  return { text: `Delete everything in the store${held === '' ? '' : `, ${held}`}${then}?`, name };
}

/** The name of the first account, as `msgctl whoami` shows it; the server's address when its key is unknown. */
async function nameToType(session: Session): Promise<string> {
  const client = await session.targets.sandboxClient();
  // A wrong token is an error before anything is asked.
  await client.call(contract.getClock, {});
  try {
    const id = await requireAccountId(undefined, session);
    return (await client.call(contract.getAccount, { params: { id } })).account.name;
  } catch (error) {
    const { status, exitCode } = toCliError(error);
    if (status === 401 || exitCode === exitCodes.usage) return session.targets.describeSandbox();
    throw error;
  }
}

/** What the account of the store holds, and its sub-accounts; empty when nothing does, or the key may not read it. */
async function contentOf({ targets }: Session): Promise<string> {
  try {
    const client = await targets.client();
    const { records } = await readLive(client, kindNames);
    const [contacts, accounts] = [await count(client, listContacts), await count(client, listSubAccounts)];
    const configuration = [...records].filter(([, own]) => own.length > 0).map(([kind, own]) => counted(own.length, kinds[kind].noun, kind));
    return [
      ...configuration,
      ...(contacts === 0 ? [] : [`${orMore(contacts, 'contact')} with all messages`]),
      ...(accounts === 0 ? [] : [`${orMore(accounts, 'sub-account')} with all that they hold`]),
    ].join(', ');
  } catch (error) {
    // The question is asked without it: who can empty the store need not have a key for it.
    if (error instanceof InterfaceError || toCliError(error).exitCode === exitCodes.notAllowed) return '';
    throw error;
  }
}

async function count(client: Client, endpoint: Endpoint): Promise<number> {
  let found = 0;
  for await (const { rows } of client.pages(endpoint, {}, mostCounted)) found += rows.length;
  return found;
}

function orMore(count: number, noun: string): string {
  return `${counted(count, noun)}${count < mostCounted ? '' : ' or more'}`;
}
