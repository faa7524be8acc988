import { basename } from 'node:path';
import { channelNames } from '../../../contract/areas/channels/names.ts';
import { counted } from '../../../contract/text/counted.ts';
import { someOf } from '../../../contract/text/some-of.ts';
import * as contract from '../../../contract/areas/sandbox/accounts.ts';
import { sandboxVerb } from '../../verb/call-verb.ts';
import { withNewKey } from '../../verb/key-file.ts';
import type { Options, Session, Verb } from '../../verb/noun.ts';
import { readUserFile } from '../../files/read.ts';
import type { Result } from '../../output/result.ts';
import { rememberKey } from '../../profiles/remember-key.ts';
import { accountArgument, isOwnAccount, requireAccountId } from '../../lookups/sandbox-account.ts';
import { rememberInSandboxProfile } from '../../connection/remember.ts';

const columns = [
  'id',
  'name',
  'email',
  'kind',
  'parent_account_id',
  'credits',
  'auto_recharge_enabled',
  'low_credit_threshold',
  'costs_hidden',
  'own_ai_key',
  'template_provider',
  'plan',
  'created_at',
  'updated_at',
] as const;

const shown = { field: 'account', columns } as const;

const keyColumns = ['api_key'];

/** Creates a new main key. It is stored in the store's profile if that profile is for this account. */
async function makeMainKey(session: Session, [named]: readonly string[], options: Options): Promise<Result> {
  const { targets, notes } = session;
  const client = await targets.sandboxClient();
  const id = await requireAccountId(named, session);
  const profile = targets.sandboxProfile;
  // Determined before the old key stops working.
  const isOwn = profile !== null && (await isOwnAccount(id, session));
  return await withNewKey(session, options, {
    call: () => client.call(contract.makeMainKey, { params: { id } }),
    columns: keyColumns,
    remember: async ({ api_key: key }) =>
      !isOwn || (await rememberKey(rememberInSandboxProfile(targets, { api_key: key }), profile, notes)),
  });
}

async function addUpload(session: Session, [file = '', account]: readonly string[], options: Options): Promise<Result> {
  const client = await session.targets.sandboxClient();
  const id = await requireAccountId(account, session);
  const bytes = await readUserFile(file);
  const query = { filename: (options.filename as string | undefined) ?? basename(file) };
  const answer = await client.call(contract.addUpload, { params: { id }, query, bytes });
  return { kind: 'record', answer, record: answer };
}

/** Verbs for accounts and the data that belongs to them. */
export const accountVerbs: readonly Verb[] = [
  sandboxVerb({
    name: 'accounts create',
    endpoint: contract.createAccount,
    examples: [['msgctl sandbox accounts create Bakery --kind standard', 'an account with 1,000 credits and a main key']],
    arguments: [{ field: 'name' }],
    fields: [{ field: 'kind', default: 'standard' }, 'email', { field: 'parent_account_id', flag: 'parent-account' }, 'plan'],
    makesKey: true,
    shown: { columns: ['account_id', 'api_key'] },
  }),
  sandboxVerb({
    name: 'accounts get',
    endpoint: contract.getAccount,
    examples: [['msgctl sandbox accounts get -o yaml', 'the first account with its plan']],
    arguments: [accountArgument],
    shown,
  }),
  sandboxVerb({
    name: 'accounts update',
    endpoint: contract.updateAccount,
    examples: [
      ['msgctl sandbox accounts update --credits 20', 'set the balance of the first account'],
      [`msgctl sandbox accounts update acc_1 --plan '{"webhooks": false}'`, 'disable a feature of the plan'],
      [`msgctl sandbox accounts update --calendar '{"connected": true}' --ics - < calendar.ics`, 'connect a calendar with these events'],
    ],
    arguments: [accountArgument],
    fields: [
      { field: 'credits', placeholder: 'credits' },
      'plan',
      { field: 'costs_hidden', negative: 'show costs in analytics' },
      { field: 'auto_recharge_enabled', negative: 'do not recharge credits automatically' },
      { field: 'low_credit_threshold', placeholder: 'credits' },
      { field: 'own_ai_key', placeholder: 'state' },
      'template_provider',
      { field: 'conversation_window', negative: 'allow free text to every contact, without the 24-hour window' },
      'calendar',
      { field: 'calendar.ics', flag: 'ics', summary: 'the events of the calendar, as iCalendar text; `-` is stdin' },
    ],
    done: ({ left_out: leftOut = [] }) =>
      leftOut.length === 0
        ? undefined
        : `Skipped ${counted(leftOut.length, 'event')} of the calendar: ${someOf(leftOut.map(({ uid, reason }) => `${uid} (${reason})`))}.`,
    shown,
  }),
  {
    name: 'main-key',
    summary: contract.makeMainKey.summary,
    examples: [['msgctl sandbox main-key', 'replace a lost key']],
    arguments: [accountArgument],
    endpoint: contract.makeMainKey,
    makesKey: true,
    shown: { columns: keyColumns },
    run: makeMainKey,
  },
  sandboxVerb({
    name: 'members add',
    endpoint: contract.addMember,
    examples: [['msgctl sandbox members add Ann ann@shop.example --permissions contacts.view,contacts.edit', 'prints her ID token']],
    arguments: [{ field: 'name' }, { field: 'email' }, accountArgument],
    fields: [{ field: 'permissions', default: [] }, 'role'],
    shown: { columns: ['member_id', 'id_token'] },
  }),
  sandboxVerb({
    name: 'members token',
    endpoint: contract.signMemberIn,
    examples: [['msgctl sandbox members token mem_1', 'a new ID token, valid for one hour']],
    arguments: [{ param: 'memberId', summary: 'the id of a member' }, accountArgument],
    shown: { columns: ['id_token'] },
  }),
  sandboxVerb({
    name: 'channels add',
    endpoint: contract.addChannel,
    examples: [['msgctl sandbox channels add chatapp +14155550100', 'connect a number']],
    arguments: [{ field: 'channel', completes: channelNames }, { field: 'identity' }, accountArgument],
    fields: ['name'],
    shown: { columns: ['channel_id'] },
  }),
  {
    name: 'uploads add',
    summary: contract.addUpload.summary,
    examples: [['msgctl sandbox uploads add ./prices.pdf', 'prints the storage path']],
    arguments: [{ name: 'file', summary: 'the file to upload', completes: 'file' }, accountArgument],
    endpoint: contract.addUpload,
    options: [{ flags: '--filename <name>', summary: 'the name to store the file under (default: its own name)' }],
    shown: { columns: ['storage_path'] },
    run: addUpload,
  },
];
