import { getMe } from '../../contract/users.ts';
import type { Noun } from '../command.ts';

/** The masked form in which a key is shown: enough to tell keys apart. */
function preview(key: string): string {
  return `${key.slice(0, 4)}...${key.slice(-4)}`;
}

export const whoami: Noun = {
  name: 'whoami',
  summary: 'Show the account, the key and the service in use',
  verbs: [
    {
      name: '',
      summary: 'Show the account, the key and the service in use',
      examples: [
        ['msgctl whoami', 'the account that commands act on'],
        ['msgctl whoami --profile sandbox', 'the embedded service, made on first use'],
      ],
      run: async ({ targets }) => {
        const client = await targets.client();
        const target = targets.resolve();
        const { user } = await client.call(getMe, {});
        const record = {
          account_id: user.id,
          name: user.name,
          email: user.email,
          kind: user.kind,
          profile: target.profile,
          target: target.baseUrl ?? client.target,
          key: target.key === null ? null : preview(target.key),
          key_source: target.keySource,
          sub_account_id: target.subAccountId ?? null,
        };
        return { kind: 'record', answer: record, record, columns: Object.keys(record) };
      },
    },
  ],
};
