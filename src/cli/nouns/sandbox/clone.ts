import { kindNames } from '../../../account-as-code/kind.ts';
import { kinds } from '../../../account-as-code/kinds.ts';
import { readLive } from '../../../account-as-code/live.ts';
import type { Client } from '../../../client/client.ts';
import { InterfaceError } from '../../../client/errors.ts';
import { listSubAccounts } from '../../../contract/areas/accounts/endpoints.ts';
import { listContacts } from '../../../contract/areas/contacts/endpoints.ts';
import { getMe } from '../../../contract/areas/whoami/endpoints.ts';
import { getAccount } from '../../../contract/areas/sandbox/accounts.ts';
import { resetStore } from '../../../contract/areas/sandbox/store.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Options, Question, Session, Verb } from '../../command/noun.ts';
import { exitCodes, usageError } from '../../errors.ts';
import { counted } from '../../../contract/counted.ts';
import type { Result } from '../../output/result.ts';
import { rememberKey } from '../../profiles/remember-key.ts';
import { Targets } from '../../target/targets.ts';
import type { World } from '../../world.ts';
import { storeName } from './store-name.ts';
import { rememberInSandboxProfile } from '../../target/remember.ts';

const columns = ['account_id', 'from', 'records', 'lost'] as const;

/** The kinds that are cloned. Keys are left out, because their values cannot be read. */
const names = kindNames.filter((name) => name !== 'keys');

/** The world with other variables. A spread would call the getter `interrupted`, which takes over Ctrl-C. */
function withEnvironment(world: World, variables: World['env']): World {
  return Object.create(world, { env: { value: { ...world.env, ...variables } } }) as World;
}

/** The targets for the account to clone. */
function sourceOf({ notes, world, globals }: Session, from: string): Targets {
  // The environment variables are for the clone's target. The source uses only its profile.
  const unset = { MSGCTL_API_KEY: undefined, MSGCTL_BASE_URL: undefined, MSGCTL_SANDBOX_TOKEN: undefined };
  return new Targets(withEnvironment(world, unset), { ...globals, profile: from, baseUrl: undefined }, notes);
}

/**
 * Checks that the account to clone is not in the store that will be emptied, even if their addresses differ.
 * @throws CliError 2 if it is, or the profile does not exist
 */
async function checkSource(source: Targets, sandbox: Client, from: string): Promise<void> {
  const { user } = await (await source.client()).call(getMe, {});
  const found = await sandbox.call(getAccount, { params: { id: user.id } }).catch((error: unknown) => {
    if (error instanceof InterfaceError && error.status === 404) return null;
    throw error;
  });
  if (found)
    throw usageError(
      `The profile '${from}' belongs to the store that would be emptied`,
      'Choose another store to clone into, with --profile.',
    );
}

async function clone(session: Session, _values: readonly string[], { from }: Options): Promise<Result> {
  const { targets, notes, world, globals } = session;
  const source = sourceOf(session, from as string);
  let loading: Targets | undefined;
  try {
    const sandbox = await targets.sandboxClient();
    await checkSource(source, sandbox, from as string);
    const live = await readLive(await source.client(), names);
    const { account_id: accountId, api_key: key } = await sandbox.call(resetStore, {});
    targets.setFirstAccount(accountId);
    await rememberKey(rememberInSandboxProfile(targets, { api_key: key, sub_account_id: undefined }), targets.sandboxProfile ?? '', notes);
    // The key in the environment and the key used for the prompt belong to the emptied store, so a new client is needed.
    loading = new Targets(withEnvironment(world, { MSGCTL_API_KEY: key }), globals, notes);
    const { loadConfiguration, lostText } = await import('../../../account-as-code/scratch.ts');
    const lost = (await loadConfiguration(live, { client: await loading.client(), sandbox, accountId, now: world.now })).map(lostText);
    for (const problem of lost) notes.always(`Not cloned: ${problem}`);
    const records = [...live.records.values()].reduce((sum, own) => sum + own.length, 0);
    notes.say('Jobs are held, so that nothing leaves this machine. `msgctl sandbox jobs release` lets them run.');
    const record = { account_id: accountId, from: live.account.name, records, lost };
    return { kind: 'record', answer: record, record, exitCode: lost.length > 0 ? exitCodes.partlyFailed : exitCodes.done };
  } finally {
    await source.close();
    await loading?.close();
  }
}

/** Maximum number of contacts and sub-accounts to count for the prompt. */
const mostCounted = 1_000;

/** The confirmation prompt, with the contents of the store. */
async function question(session: Session, from: string): Promise<Question> {
  const { targets } = session;
  const name = await storeName(session);
  const source = sourceOf(session, from);
  await checkSource(source, await targets.sandboxClient(), from).finally(() => source.close());
  const held = await heldIn(await targets.client()).catch(() => null);
  return { text: `Empty the store${held ? ` of ${held}` : ''}, and clone into it?`, name };
}

async function heldIn(client: Client): Promise<string> {
  const { account, records } = await readLive(client, names);
  const configuration = [...records].filter(([, own]) => own.length > 0).map(([kind, own]) => counted(own.length, kinds[kind].noun, kind));
  const [contacts, accounts] = [await count(client, listContacts), await count(client, listSubAccounts)];
  const counts = [
    ...configuration,
    ...(contacts === 0 ? [] : [`${orMore(contacts, 'contact')} with all messages`]),
    ...(accounts === 0 ? [] : [`${orMore(accounts, 'sub-account')} with all that they hold`]),
  ];
  return `${account.name}, which holds ${counts.join(', ') || 'nothing'}`;
}

async function count(client: Client, endpoint: Endpoint): Promise<number> {
  let found = 0;
  for await (const { rows } of client.pages(endpoint, {}, mostCounted)) found += rows.length;
  return found;
}

function orMore(number: number, noun: string): string {
  return `${counted(number, noun)}${number < mostCounted ? '' : ' or more'}`;
}

export const cloneVerb: Verb = {
  name: 'clone',
  summary: 'Empty the store, and load the configuration of a real account into it, to try things there',
  examples: [
    ['msgctl sandbox clone --from work --profile sandbox', 'says what the store holds, and asks for the name of its first account'],
    ["msgctl sandbox clone --from work --profile sandbox --confirm 'Sandbox Agency'", 'in scripts'],
  ],
  options: [{ flags: '--from <profile>', summary: 'the profile of the account to clone', isRequired: true, completes: 'profile' }],
  shown: { columns },
  isSandbox: true,
  confirm: async ({ session, options }) =>
    session ? await question(session, options.from as string) : { text: 'Empty the store?', name: '' },
  wantsName: true,
  run: clone,
};
