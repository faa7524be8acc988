import { lacksEndpoint } from '../../client/errors.ts';
import * as contract from '../../contract/areas/keys/endpoints.ts';
import { getMe } from '../../contract/areas/whoami/endpoints.ts';
import { grantableSections } from '../../contract/sections.ts';
import { lookup } from '../verb/lookup.ts';
import { isId, listCommand } from '../verb/names.ts';
import { callVerb, recordVerb } from '../verb/call-verb.ts';
import { withNewKey } from '../verb/key-file.ts';
import type { Noun, Options, Session } from '../verb/noun.ts';
import { subAccountLookup } from '../lookups/accounts.ts';
import { withState } from './keys/state.ts';
import { InvalidValue } from '../invalid-value.ts';
import { parseList, whenForms } from '../verb/values.ts';
import { readWhen } from '../verb/when.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import type { Result } from '../output/result.ts';
import { rememberKey } from '../profiles/remember-key.ts';
import { rememberInProfile } from '../connection/remember.ts';

const columns = [
  'id',
  'label',
  'key_preview',
  'expires_at',
  'last_used_at',
  'revoked',
  'scopes.tags',
  'scopes.read_only',
  'scopes.rate_limit_per_min',
  'scopes.sub_account_ids',
  'created_at',
] as const;

/** On a terminal, the permissions and state of a key come before its identifiers. */
const tableColumns = [
  'id',
  'label',
  'state',
  'expires_at',
  'scopes.tags',
  'scopes.read_only',
  'last_used_at',
  'key_preview',
  'scopes.rate_limit_per_min',
  'scopes.sub_account_ids',
  'created_at',
];

const rotatedColumns = ['api_key', 'message'];

const keyLookup = lookup(contract.listKeys, 'api_keys', 'label', { get: contract.getKey });

const keyArgument = { param: 'id', summary: 'the id or the label of a scoped key', lookup: keyLookup } as const;

const fields = [
  'label',
  {
    field: 'scopes.tags',
    flag: 'section',
    summary: 'sections the key may use, such as Analytics,Contacts; `all` for every section',
    completes: ['all', ...grantableSections],
    // An empty list means all sections. An unset shell variable must not grant access to all of them.
    parse: parseList,
    resolve: sectionNames,
  },
  { field: 'scopes.read_only', negative: 'also allow write requests' },
  {
    field: 'scopes.sub_account_ids',
    flag: 'sub-account-id',
    summary:
      "sub-accounts the key may act on; '*' means its own account and every sub-account. A scoped key cannot list them: its commands name " +
      'them in --sub-account by id, also as @file with an id on each line, and not by name, pattern or `all`',
    completes: subAccountLookup,
    parse: parseList,
    // The asterisk means all sub-accounts.
    resolve: async (value: unknown, { names }: Session) => {
      const words = value as readonly string[];
      const ids = await names.ids(
        subAccountLookup,
        words.filter((word) => word !== '*'),
      );
      return words.includes('*') ? ['*', ...ids] : ids;
    },
  },
  { field: 'scopes.rate_limit_per_min', flag: 'rate-limit' },
  {
    field: 'expires_at',
    flag: 'expires',
    placeholder: 'when',
    summary: `${whenForms}, or never`,
    parse: parseExpiry,
    resolve: (value: unknown, session: Session) => expiry(value as string, session),
  },
] as const;

/** The sections as the API expects them: an empty list means all sections. */
function sectionNames(value: unknown): readonly string[] {
  const names = value as readonly string[];
  return names.length === 1 && names[0]?.toLowerCase() === 'all' ? [] : names;
}

/** An empty expiry must not mean `never`: an unset shell variable would create a key that does not expire. */
function parseExpiry(text: string): string {
  if (text === '') throw new InvalidValue(`must be ${whenForms}, or never`);
  return text;
}

/** The time of an expiry; null for `never`. */
async function expiry(text: string, session: Session): Promise<string | null> {
  return text === 'never' ? null : await readWhen(text, 'ahead', session);
}

/** Replaces the main key, and stores the new key in the profile that contained the old one. */
async function rotate(session: Session, _values: readonly string[], options: Options): Promise<Result> {
  const { targets, notes } = session;
  const client = await targets.client();
  const { keySource, keyCommand, profile } = targets.resolve();
  // Checked first: the old key must not be replaced if the new one cannot be stored.
  if (keySource === 'profile') await targets.profiles.probe();
  const result = await withNewKey(session, options, {
    call: () => client.call(contract.rotateMainKey, {}),
    columns: rotatedColumns,
    replaces: true,
    remember: async ({ api_key: key }) =>
      keySource !== 'profile' || (await rememberKey(rememberInProfile(targets, { api_key: key }), profile ?? '', notes)),
  });
  if (keyCommand !== null)
    notes.always(
      `The old key no longer works. Store the new one where the key command of the profile '${profile}' reads it: ${keyCommand}`,
    );
  if (keySource === 'environment') notes.say('MSGCTL_API_KEY still has the old key, which no longer works. Set it to the new key.');
  return result;
}

/**
 * The scopes of a key, which an update sends again where it does not change them, because the interface replaces all of them.
 * @throws CliError 5 if the service does not show the key
 */
async function scopesOf({ targets, names }: Session, word: string) {
  const id = await names.id(keyLookup, word);
  const client = await targets.client();
  const { key } = await client.call(contract.getKey, { params: { id } }).catch((error: unknown) => {
    throw lacksEndpoint(error) ? notShownError(id) : error;
  });
  return key.scopes;
}

/** A service without the endpoint answers 404 too. The scopes that are not given are then unknown. */
function notShownError(id: string): CliError {
  return new CliError(exitCodes.notFound, 'not_found', `The service does not show the key '${id}', so its other scopes cannot be kept`, {
    hint: [
      `\`${listCommand({ endpoint: contract.listKeys })}\` lists the newest keys.`,
      'If the key is right, the service cannot show a single key. Give all scopes with --input, such as',
      '{"scopes": {"tags": ["Tags"], "read_only": true, "sub_account_ids": [], "rate_limit_per_min": 60}}.',
    ],
  });
}

/** The question before a key is revoked. If the service does not show the key, it decides whether the key exists. */
async function askToRevoke(session: Session | null, word: string): Promise<string> {
  const key = await session?.names.record(keyLookup, word).catch((error: unknown) => {
    const isUnknown = lacksEndpoint(error) || (error instanceof CliError && error.exitCode === exitCodes.notFound);
    if (isId(word) && isUnknown) return null;
    throw error;
  });
  return key ? `Revoke the key '${key.label}' (${key.key_preview})?` : `Revoke the key ${word}?`;
}

/** The name of the account, as shown by `msgctl whoami`. */
async function ownName({ targets }: Session): Promise<string> {
  return (await (await targets.client()).call(getMe, {})).user.name;
}

async function revokeCurrent({ targets, notes }: Session): Promise<Result> {
  const client = await targets.client();
  const { keySource, profile } = targets.resolve();
  const answer = await client.call(contract.revokeMainKey, {});
  if (keySource === 'profile') {
    await rememberInProfile(targets, { api_key: undefined });
    notes.say(`Removed the key from the profile '${profile}'.`);
  }
  return { kind: 'record', answer, record: answer };
}

export const keys: Noun = {
  name: 'keys',
  verbs: [
    callVerb({
      name: 'current',
      endpoint: contract.currentKey,
      examples: [['msgctl keys current', 'the main key, masked']],
      shown: { columns: ['api_key_masked', 'api_key_retrievable', 'created_at'] },
    }),
    {
      name: 'usage',
      summary: contract.keyUsage.summary,
      endpoint: contract.keyUsage,
      examples: [['msgctl keys usage -o json', "the main key's use of the rate limit"]],
      shown: { columns: ['limit', 'window_seconds', 'used', 'remaining', 'window_resets_at', 'note'] },
      run: async ({ targets }) => {
        const { usage, note = null } = await (await targets.client()).call(contract.keyUsage, {});
        return { kind: 'record', answer: { usage, note }, record: { ...usage, note } };
      },
    },
    {
      name: 'rotate',
      summary: contract.rotateMainKey.summary,
      examples: [
        ['msgctl keys rotate', 'asks for confirmation; the profile stores the new key'],
        ['msgctl keys rotate --yes --key-file key.txt', 'for scripts: the key is not printed'],
        [
          'msgctl keys create --section all --no-read-only --expires 1d --key-file meanwhile.txt',
          'before rotating: a key that your programs use meanwhile, because the old key stops working at once',
        ],
      ],
      endpoint: contract.rotateMainKey,
      makesKey: true,
      shown: { columns: rotatedColumns },
      confirm: () => 'Replace the main key? The old one stops working at once',
      run: rotate,
    },
    {
      name: 'revoke-current',
      summary: contract.revokeMainKey.summary,
      examples: [['msgctl keys revoke-current', 'asks for confirmation; only the app can create a new main key']],
      endpoint: contract.revokeMainKey,
      shown: { columns: ['revoked', 'message'] },
      confirm: async ({ session }) => ({
        text: 'Revoke the main key? Only the app can create a new one',
        name: session ? await ownName(session) : '',
      }),
      wantsName: true,
      run: revokeCurrent,
    },
    withState(
      callVerb({
        name: 'list',
        endpoint: contract.listKeys,
        examples: [
          ['msgctl keys list', 'every scoped key, including revoked ones'],
          ['msgctl keys list -o csv', 'every scoped key as CSV'],
        ],
        shown: { rows: 'api_keys', columns, table: tableColumns },
      }),
    ),
    withState(
      callVerb({
        name: 'get',
        endpoint: contract.getKey,
        examples: [['msgctl keys get Reports', 'by id or label; give the id for a key that is too old for the list']],
        arguments: [keyArgument],
        shown: { field: 'key', columns: [...columns, 'revoked_at'], table: [...tableColumns, 'revoked_at'] },
      }),
    ),
    recordVerb({
      name: 'create',
      endpoint: contract.createKey,
      examples: [
        ['msgctl keys create --label Reports --section Analytics --expires 30d', 'a read-only key for 30 days'],
        ["msgctl keys create --label Agents --section all --no-read-only --sub-account-id '*'", 'a key with write access everywhere'],
        ['msgctl keys create --label CI --section Tags --key-file ci.key', 'write the key to a file readable only by you'],
      ],
      fields,
      makesKey: true,
      record: ({ api_key, key }) => ({ api_key, ...key }),
      shown: {
        columns: [
          'api_key',
          'id',
          'label',
          'scopes.read_only',
          'scopes.tags',
          'scopes.sub_account_ids',
          'scopes.rate_limit_per_min',
          'expires_at',
        ],
      },
    }),
    callVerb({
      name: 'update',
      endpoint: contract.updateKey,
      summary: 'Update the label, scopes or expiry of a scoped key; scopes without a flag do not change, --input replaces all scopes',
      examples: [
        ['msgctl keys update key_1 --label Reports', 'rename a key'],
        ['msgctl keys update key_1 --section Contacts,Tags --no-read-only', 'change these scopes; the others do not change'],
      ],
      arguments: [keyArgument],
      fields,
      body: async (change, { session, values: [id = ''] }) => {
        const { input } = session;
        if (Object.keys({ ...input, ...change }).length === 0)
          throw usageError('There is nothing to change', 'Give --label, --expires or flags for the scopes.');
        const isPartial = change.scopes !== undefined && input.scopes === undefined;
        return isPartial ? { ...change, scopes: { ...(await scopesOf(session, id)), ...change.scopes } } : change;
      },
      shown: { field: 'key', columns },
    }),
    callVerb({
      name: 'revoke',
      endpoint: contract.revokeKey,
      examples: [['msgctl keys revoke key_1', 'asks for confirmation; the key stays in the list']],
      arguments: [keyArgument],
      body: (_fields, { values: [id] }) => {
        // With that id, the API would revoke the main key.
        if (id === 'current') throw usageError("'current' is the main key", 'Revoke it with `msgctl keys revoke-current`.');
        return {};
      },
      confirm: async ({ session, values: [id = ''] }) => await askToRevoke(session, id),
      shown: { columns: ['id', 'revoked', 'message'] },
    }),
  ],
};
