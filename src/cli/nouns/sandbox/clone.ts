import { copiedKinds, kinds } from '../../../account-as-code/kinds.ts';
import { countRecords, readLive } from '../../../account-as-code/live.ts';
import type { Client } from '../../../client/client.ts';
import { InterfaceError } from '../../../client/errors.ts';
import { listSubAccounts } from '../../../contract/areas/accounts/endpoints.ts';
import { listBroadcasts } from '../../../contract/areas/broadcasts/endpoints.ts';
import { listChannels } from '../../../contract/areas/channels/endpoints.ts';
import { listKeys } from '../../../contract/areas/keys/endpoints.ts';
import { listTasks } from '../../../contract/areas/tasks/endpoints.ts';
import { listContacts } from '../../../contract/areas/contacts/endpoints.ts';
import { getMe } from '../../../contract/areas/whoami/endpoints.ts';
import { getAccount } from '../../../contract/areas/sandbox/accounts.ts';
import { resetStore } from '../../../contract/areas/sandbox/store.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Options, Question, Session, Verb } from '../../verb/noun.ts';
import { exitCodes, usageError } from '../../errors.ts';
import { counted } from '../../../contract/text/counted.ts';
import type { Result } from '../../output/result.ts';
import { rememberKey } from '../../profiles/remember-key.ts';
import { Targets } from '../../connection/targets.ts';
import type { World } from '../../world.ts';
import { storeName } from './store-name.ts';
import { rememberInSandboxProfile } from '../../connection/remember.ts';

const columns = ['account_id', 'from', 'records', 'lost'] as const;

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
    const live = await readLive(await source.client(), copiedKinds);
    const { account_id: accountId, api_key: key } = await sandbox.call(resetStore, {});
    targets.setFirstAccount(accountId);
    await rememberKey(rememberInSandboxProfile(targets, { api_key: key, sub_account_id: undefined }), targets.sandboxProfile ?? '', notes);
    // The key in the environment and the key used for the prompt belong to the emptied store, so a new client is needed.
    loading = new Targets(withEnvironment(world, { MSGCTL_API_KEY: key }), globals, notes);
    const { loadConfiguration, lostText } = await import('../../account-as-code/scratch.ts');
    const lost = (await loadConfiguration(live, { client: await loading.client(), sandbox, accountId, now: world.now })).map(lostText);
    for (const problem of lost) notes.always(`Not cloned: ${problem}`);
    const records = countRecords(live).reduce((sum, [, own]) => sum + own, 0);
    notes.say('Background jobs are held, so nothing is sent from this machine. `msgctl sandbox jobs release` starts them.');
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
  try {
    await checkSource(source, await targets.sandboxClient(), from);
  } finally {
    await source.close();
  }
  const held = await heldIn(await targets.client()).catch(() => null);
  const isEmpty = held?.counts.length === 0;
  const what = held ? ` of ${held.name}, which contains ${held.counts.join(', ') || 'nothing'}` : '';
  return { text: `Empty the store${what}, and clone into it?`, name, yesSuffices: isEmpty };
}

/** What a store holds that would be lost, in words, and the name of its first account. */
async function heldIn(client: Client): Promise<{ readonly name: string; readonly counts: readonly string[] }> {
  const live = await readLive(client, copiedKinds);
  const configuration = countRecords(live)
    .filter(([, own]) => own > 0)
    .map(([kind, own]) => (kinds[kind].identity.isOnly ? `the ${kind}` : counted(own, kinds[kind].noun, kind)));
  const others: string[] = [];
  for (const [endpoint, noun, more] of otherRecords) {
    const found = await count(client, endpoint);
    if (found > 0) others.push(orMore(found, noun) + more);
  }
  const { api_keys: keys } = await client.call(listKeys, {});
  if (keys.length > 0) others.push(counted(keys.length, 'scoped key'));
  return { name: live.account.name, counts: [...configuration, ...others] };
}

/** What is lost with a store besides the kinds that a clone replaces. */
const otherRecords: readonly (readonly [Endpoint, string, string])[] = [
  [listContacts, 'contact', ' with all messages'],
  [listTasks, 'task', ''],
  [listBroadcasts, 'broadcast', ''],
  [listChannels, 'channel', ''],
  [listSubAccounts, 'sub-account', ' with everything in them'],
];

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
  summary: 'Copy the configuration of a real account into an emptied sandbox, to try changes there',
  examples: [
    ['msgctl sandbox clone --from work', 'shows what the embedded store contains, and asks you to type the name of its first account'],
    ['msgctl sandbox clone --from work --yes', 'in scripts, for an empty store'],
    ["msgctl sandbox clone --from work --confirm 'Sandbox Agency'", 'in scripts, for a store that is not empty'],
    ['msgctl sandbox clone --from work --profile dev', 'clone into a server, and delete everything that it stores'],
  ],
  options: [{ flags: '--from <profile>', summary: 'the profile of the account to clone', isRequired: true, completes: 'profile' }],
  shown: { columns },
  scope: 'embedded sandbox',
  confirm: async ({ session, options }) =>
    session ? await question(session, options.from as string) : { text: 'Empty the store?', name: '' },
  wantsName: true,
  run: clone,
};
