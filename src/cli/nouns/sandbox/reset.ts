import * as contract from '../../../contract/areas/sandbox/endpoints.ts';
import { withNewKey } from '../../command/key-file.ts';
import type { Options, Session, Verb } from '../../command/noun.ts';
import { exitCodes } from '../../errors.ts';
import { toCliError } from '../../explain.ts';
import { requireAccountId } from '../../lookups/sandbox-account.ts';
import type { Result } from '../../output/result.ts';
import { rememberKey } from '../../profiles/remember-key.ts';

const columns = ['account_id', 'api_key'];

async function reset(session: Session, _values: readonly string[], options: Options): Promise<Result> {
  const { targets, notes } = session;
  const client = await targets.sandboxClient();
  return await withNewKey(session, options, {
    call: () => client.call(contract.resetStore, {}),
    columns,
    remember: async ({ account_id: accountId, api_key: key }) => {
      targets.setFirstAccount(accountId);
      return await rememberKey(targets.rememberSandbox({ api_key: key, sub_account_id: undefined }), targets.sandboxProfile ?? '', notes);
    },
  });
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
  confirm: async (_values, _options, session) => ({
    text: 'Delete everything in the store?',
    name: session ? await nameToType(session) : '',
  }),
  wantsName: true,
  isSandbox: true,
  run: reset,
};
