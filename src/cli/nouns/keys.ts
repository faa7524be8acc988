import * as contract from '../../contract/areas/keys/endpoints.ts';
import { sections } from '../../contract/sections.ts';
import { listSubAccounts } from '../../contract/areas/accounts/endpoints.ts';
import {
  callVerb,
  given,
  InvalidValue,
  type Lookup,
  type Noun,
  type OptionSpec,
  type Options,
  parseCount,
  parseList,
  type Session,
} from '../command/command.ts';
import { exitCodes, usageError } from '../errors.ts';
import { keyFileOption, withNewKey } from '../profiles/key-file.ts';
import { rememberKey } from '../profiles/remember-key.ts';
import type { Result, Row } from '../output/result.ts';

const columns = [
  'id',
  'label',
  'key_preview',
  'scopes.read_only',
  'scopes.tags',
  'scopes.sub_account_ids',
  'scopes.rate_limit_per_min',
  'expires_at',
  'last_used_at',
  'created_at',
  'revoked',
];

const rotatedColumns = ['api_key', 'message'];

const ids: Lookup = { endpoint: contract.listKeys, rows: 'api_keys', label: 'label' };

const scopeOptions: readonly OptionSpec[] = [
  { flags: '--label <text>', summary: 'a name for the key' },
  {
    flags: '--section <names>',
    summary: 'sections it may use, such as Analytics,Contacts; `all` for every one (default: Analytics)',
    parse: parseList,
    completes: ['all', ...sections],
  },
  { flags: '--read-only', summary: 'only read requests (the default)' },
  { flags: '--no-read-only', summary: 'write requests too' },
  {
    flags: '--sub-account-id <ids>',
    summary: "sub-accounts it may act on; `'*'` for its own account and all that it manages",
    parse: parseList,
    completes: { endpoint: listSubAccounts, rows: 'sub_accounts', label: 'name' },
  },
  { flags: '--rate-limit <count>', summary: 'requests per minute (default: 60)', parse: parseCount },
  { flags: '--expires <when>', summary: 'an ISO 8601 date, a span such as 30d or 12h, or `never`' },
];

/** The scopes that the flags describe; undefined when none does. */
function scopesOf(options: Options): Row | undefined {
  const sections = options.section as string[] | undefined;
  const scopes = given({
    read_only: options.readOnly,
    tags: sections?.length === 1 && sections[0]?.toLowerCase() === 'all' ? [] : sections,
    sub_account_ids: options.subAccountId,
    rate_limit_per_min: options.rateLimit,
  });
  return Object.keys(scopes).length > 0 ? scopes : undefined;
}

const spanUnits: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/**
 * Reads an expiry: `never` is null, a span counts from now, anything else is for the service to judge.
 * @throws InvalidValue for a span that reaches beyond what a date can say
 */
function expiryOf(text: string | undefined, now: number): string | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'never') return null;
  const [, count, unit = ''] = /^(\d+)([mhdw])$/.exec(text) ?? [];
  if (count === undefined) return text;
  const instant = new Date(now + Number(count) * (spanUnits[unit] ?? 0));
  if (Number.isNaN(instant.getTime())) throw new InvalidValue(`is too far away: --expires ${text}`);
  return instant.toISOString();
}

function keyBody(options: Options, now: number): Row {
  return given({ label: options.label, scopes: scopesOf(options), expires_at: expiryOf(options.expires as string | undefined, now) });
}

/** Replaces the main key, and in the same step the one that the profile holds: nobody locks themselves out. */
async function rotate(session: Session, _values: readonly string[], options: Options): Promise<Result> {
  const { targets, notes, world } = session;
  const client = await targets.client();
  const { keySource, profile } = targets.resolve();
  // Known to be writable before the key is changed; and an interrupt waits from here on.
  if (keySource === 'profile') await targets.profiles.probe();
  void world.interrupted;
  let isRemembered = true;
  const makeKey = async () => {
    const answer = await client.call(contract.rotateMainKey, {});
    if (keySource === 'profile') isRemembered = await rememberKey(targets.remember({ api_key: answer.api_key }), profile ?? '', notes);
    return answer;
  };
  // The file with the key before is the one to write the new key to.
  const result = await withNewKey(session, options, rotatedColumns, makeKey, undefined, true);
  if (keySource === 'environment') notes.say('MSGCTL_API_KEY still holds the old key, which no longer works: set it to the new one.');
  return isRemembered ? result : { ...result, exitCode: exitCodes.failed };
}

async function revokeCurrent({ targets, notes }: Session): Promise<Result> {
  const client = await targets.client();
  const { keySource, profile } = targets.resolve();
  const answer = await client.call(contract.revokeMainKey, {});
  if (keySource === 'profile') {
    await targets.remember({ api_key: undefined });
    notes.say(`The profile '${profile}' has no key any more.`);
  }
  return { kind: 'record', answer, record: answer };
}

export const keys: Noun = {
  name: 'keys',
  summary: 'Rotate the main key, manage scoped keys',
  verbs: [
    callVerb({
      name: 'current',
      endpoint: contract.currentKey,
      examples: [['msgctl keys current', 'the main key, masked']],
      shown: { columns: ['api_key_masked', 'api_key_retrievable', 'created_at'] },
    }),
    callVerb({
      name: 'usage',
      endpoint: contract.keyUsage,
      examples: [['msgctl keys usage -o json', 'how much of the rate limit is used']],
      shown: { field: 'usage', columns: ['limit', 'window_seconds', 'used', 'remaining', 'window_resets_at'] },
    }),
    {
      name: 'rotate',
      summary: contract.rotateMainKey.summary,
      examples: [
        ['msgctl keys rotate', 'asks first; the profile takes the new key over'],
        ['msgctl keys rotate --yes --key-file key.txt', 'for scripts: nothing shows the key'],
      ],
      endpoint: contract.rotateMainKey,
      options: [keyFileOption],
      shown: { columns: rotatedColumns },
      confirm: () => 'Replace the main key? The present one stops at once',
      run: rotate,
    },
    {
      name: 'revoke-current',
      summary: contract.revokeMainKey.summary,
      examples: [['msgctl keys revoke-current', 'asks first: only the app can make a new one']],
      endpoint: contract.revokeMainKey,
      shown: { columns: ['revoked', 'message'] },
      confirm: () => 'Revoke the main key? Only the app can make a new one',
      run: revokeCurrent,
    },
    callVerb({
      name: 'list',
      endpoint: contract.listKeys,
      examples: [
        ['msgctl keys list', 'all scoped keys, revoked ones included'],
        ['msgctl keys list -o csv', 'for a spreadsheet'],
      ],
      shown: { rows: 'api_keys', columns },
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createKey,
      examples: [
        ['msgctl keys create --label Reports --section Analytics --expires 30d', 'a read-only key for 30 days'],
        ["msgctl keys create --label Agents --section all --no-read-only --sub-account-id '*'", 'a key that may write everywhere'],
        ['msgctl keys create --label CI --section Tags --key-file ci.key', 'into a file that you alone can read'],
      ],
      options: scopeOptions,
      body: (options, _values, { world }) => keyBody(options, world.now()),
      makesKey: true,
      record: ({ api_key, key }) => ({ api_key, ...(key as Row) }),
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
      examples: [
        ['msgctl keys update key_1 --label Reports', 'rename it'],
        ['msgctl keys update key_1 --section Contacts,Tags --no-read-only', 'replace its scopes as a whole'],
      ],
      arguments: [['<id>', 'the id of a scoped key', ids]],
      params: ['id'],
      options: scopeOptions,
      body: (options, _values, { world, input, notes }) => {
        const body = keyBody(options, world.now());
        if (body.scopes && (options.section === undefined || options.readOnly === undefined))
          notes.say('The scopes are replaced as a whole: what no flag says is back at its default.');
        if (Object.keys({ ...input, ...body }).length === 0)
          throw usageError('There is nothing to change', 'Give --label, --expires or flags for the scopes.');
        return body;
      },
      shown: { field: 'key', columns },
    }),
    callVerb({
      name: 'revoke',
      endpoint: contract.revokeKey,
      examples: [['msgctl keys revoke key_1', 'asks first; the key stays listed']],
      arguments: [['<id>', 'the id of a scoped key', ids]],
      params: ['id'],
      confirm: ([id]) => {
        // On the interface it names the main key.
        if (id === 'current') throw usageError("'current' is the main key", 'To revoke that, use msgctl keys revoke-current.');
        return `Revoke the key ${id}?`;
      },
      shown: { columns: ['id', 'revoked', 'message'] },
    }),
  ],
};
