import * as contract from '../../../contract/areas/sandbox/store.ts';
import { withNewKey } from '../../verb/key-file.ts';
import type { Options, Session, Verb } from '../../verb/noun.ts';
import type { Result } from '../../output/result.ts';
import { rememberKey } from '../../profiles/remember-key.ts';
import { storeName } from './store-name.ts';
import { rememberInSandboxProfile } from '../../connection/remember.ts';

const columns = ['account_id', 'api_key'];

async function reset(session: Session, _values: readonly string[], options: Options): Promise<Result> {
  const { targets, notes } = session;
  const client = await targets.sandboxClient();
  return await withNewKey(session, options, {
    call: () => client.call(contract.resetStore, {}),
    columns,
    remember: async ({ account_id: accountId, api_key: key }) => {
      targets.setFirstAccount(accountId);
      return await rememberKey(
        rememberInSandboxProfile(targets, { api_key: key, sub_account_id: undefined }),
        targets.sandboxProfile ?? '',
        notes,
      );
    },
  });
}

export const resetVerb: Verb = {
  name: 'reset',
  summary: contract.resetStore.summary,
  examples: [
    ['msgctl sandbox reset', 'asks for the name of the first account'],
    ["msgctl sandbox reset --confirm 'Sandbox Agency'", 'in scripts'],
  ],
  endpoint: contract.resetStore,
  makesKey: true,
  shown: { columns },
  confirm: async ({ session }) => ({
    text: 'Delete everything in the store?',
    name: session ? await storeName(session) : '',
  }),
  wantsName: true,
  run: reset,
};
