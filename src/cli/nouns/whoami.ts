import type { Client } from '../../client/client.ts';
import { InterfaceError } from '../../client/errors.ts';
import { getHealth } from '../../contract/areas/health/endpoints.ts';
import { getMe } from '../../contract/areas/whoami/endpoints.ts';
import type { Noun, Session } from '../verb/noun.ts';
import type { Result } from '../output/result.ts';
import { previewKey } from '../profiles/key-preview.ts';

/** Reads the account. If a scoped key may not read it, returns only the account's id. */
async function readAccount(client: Client) {
  try {
    const { user } = await client.call(getMe, {});
    return { id: user.id, name: user.name, email: user.email, kind: user.kind };
  } catch (error) {
    if (!(error instanceof InterfaceError && error.errorCode === 'key_scope_denied')) throw error;
    const { account_id: id } = await client.call(getHealth, {});
    return { id, name: null, email: null, kind: null };
  }
}

async function showWhoami({ targets }: Session): Promise<Result> {
  const client = await targets.client();
  const { id, name, email, kind } = await readAccount(client);
  const target = targets.resolve();
  const record = {
    account_id: id,
    name,
    email,
    kind,
    // With a key and an address of the environment, as inside `serve --exec`, the profile has no part in it.
    profile: target.keySource === 'environment' && target.keyElsewhere !== null ? null : target.profile,
    target: target.baseUrl ?? client.target,
    key: target.key === null ? null : previewKey(target.key),
    key_source: target.keySource,
    sub_account_id: target.subAccountId ?? null,
  };
  return { kind: 'record', answer: record, record };
}

export const whoami: Noun = {
  name: 'whoami',
  verbs: [
    {
      name: '',
      summary: 'Show the account, the key and the service in use',
      examples: [
        ['msgctl whoami', 'show the account that your commands act on'],
        ['msgctl whoami --profile sandbox', 'use the embedded service, which is created on first use'],
      ],
      endpoint: getMe,
      shown: { columns: ['account_id', 'name', 'email', 'kind', 'profile', 'target', 'key', 'key_source', 'sub_account_id'] },
      run: showWhoami,
    },
  ],
};
