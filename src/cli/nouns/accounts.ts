import * as contract from '../../contract/areas/accounts/endpoints.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import { parseNumber } from '../verb/values.ts';
import type { Noun, Options, Session, Verb } from '../verb/noun.ts';
import { InvalidValue } from '../invalid-value.ts';
import { usageError } from '../errors.ts';
import { subAccountLookup } from '../lookups/accounts.ts';
import { counted } from '../../contract/text/counted.ts';
import type { Result } from '../output/result.ts';
import { rememberInProfile } from '../connection/remember.ts';

const columns = ['id', 'name', 'email', 'balance', 'created_at', 'updated_at'] as const;

const summary = 'the id or the name of a sub-account';

const shared = { arguments: [{ param: 'id', summary, lookup: subAccountLookup }] } as const;

/** Stores in the profile which account its commands act on. */
async function use({ targets, names, notes }: Session, [word]: readonly string[], options: Options): Promise<Result> {
  if ((word === undefined) === (options.own !== true)) throw usageError('Give the id or the name of a sub-account, or --own');
  // `own` is the word of --sub-account. A sub-account of this name can be given by its id.
  const account = word === undefined || word === 'own' ? undefined : await names.record(subAccountLookup, word);
  const id = account?.id;
  if (!(await rememberInProfile(targets, { sub_account_id: id })))
    throw usageError(
      'The choice cannot be saved: no profile stores this service',
      'Log in with `msgctl login`, or set MSGCTL_SUB_ACCOUNT instead.',
    );
  const { profile } = targets.resolve();
  notes.say(`Commands with the profile '${profile}' now act on ${account ? `${account.name} (${id})` : 'its own account'}.`);
  const record = { sub_account_id: id ?? null };
  return { kind: 'record', answer: record, record };
}

const create = callVerb({
  name: 'create',
  endpoint: contract.createSubAccount,
  examples: [
    ['msgctl accounts create Bakery --email owner@bakery.example', 'create a sub-account without credits'],
    ['msgctl accounts create --input clients.csv', 'one for each row, from the columns name and email'],
  ],
  arguments: [{ field: 'name' }],
  fields: ['email'],
  shown: { field: 'sub_account', columns },
});

const createVerb: Verb = {
  ...create,
  takesTables: true,
  run: async (session, values, options) => {
    const { input } = options as { input?: string };
    const { isTable } = await import('../rows/is-table.ts');
    if (input === undefined || !isTable(input)) return await create.run(session, values, options);
    if (values[0] !== undefined || options.email !== undefined)
      throw usageError('A table has the names and the email addresses: give it alone');
    return await (await import('./accounts/create-many.ts')).createAccounts(session, input);
  },
};

const transfer = callVerb({
  name: 'transfer',
  endpoint: contract.transferCredits,
  examples: [
    ['msgctl accounts transfer Bakery --amount 250', 'move credits from the agency to the sub-account'],
    ["msgctl accounts transfer Bakery 'Client*' --amount 250", 'to each of several'],
    ['msgctl accounts transfer Bakery --amount=-50', 'move credits back to the agency'],
  ],
  arguments: [
    { param: 'id', summary: `${summary}, or several; also patterns`, lookup: subAccountLookup, isOptional: true, isRepeated: true },
  ],
  fields: [{ field: 'amount', placeholder: 'credits' }],
  shown: { field: 'sub_account', columns },
});

const transferVerb: Verb = {
  ...transfer,
  scope: 'each account',
  among: async ({ session, values, options }) =>
    await (await import('./accounts/transfer.ts')).accountsToTransferTo(session, values, options),
  confirm: async ({ session, values, options }) =>
    session && (await (await import('./accounts/transfer.ts')).askToTransfer(session, values, options)),
  run: async (session, values, options) =>
    session.accounts
      ? await (await import('./accounts/transfer.ts')).transferToOne(session, options)
      : await transfer.run(session, values, options),
};

const parseCredits = (text: string) => {
  const credits = parseNumber(text);
  if (credits < 0 || Math.abs(credits * 1e6 - Math.round(credits * 1e6)) > 1e-3)
    throw new InvalidValue('must be 0 or more, with at most 6 decimal places');
  return credits;
};

const topUpVerb: Verb = {
  name: 'top-up',
  summary: 'Fill up the credits of the sub-accounts that have few',
  examples: [
    ['msgctl accounts top-up --below 100 --to 500', 'shows the plan and what it costs, and asks once'],
    ["msgctl accounts top-up --below 100 --to 500 --sub-account 'Client*' --yes", 'only some of them, in scripts'],
  ],
  options: [
    { flags: '--below <credits>', summary: 'the sub-accounts with fewer credits than this', isRequired: true, parse: parseCredits },
    { flags: '--to <credits>', summary: 'the credits that they have afterwards', isRequired: true, parse: parseCredits },
  ],
  endpoint: contract.transferCredits,
  takesInput: false,
  scope: 'each account',
  shown: { field: 'sub_account', columns: ['id', 'name', 'moved', 'balance'], table: ['moved', 'balance'] },
  among: async ({ session, options }) => await (await import('./accounts/top-up.ts')).accountsToTopUp(session, options),
  confirm: async ({ session, options }) => session && (await (await import('./accounts/top-up.ts')).askToTopUp(session, options)),
  run: async (session, _, options) => await (await import('./accounts/top-up.ts')).topUp(session, options),
};

export const accounts: Noun = {
  name: 'accounts',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listSubAccounts,
      examples: [['msgctl accounts list', 'list every sub-account with its balance']],
      shown: { columns },
    }),
    callVerb({
      ...shared,
      name: 'get',
      endpoint: contract.getSubAccount,
      examples: [['msgctl accounts get Bakery', 'show one sub-account']],
      shown: { field: 'sub_account', columns },
    }),
    createVerb,
    deleteVerb({
      lookup: subAccountLookup,
      endpoint: contract.deleteSubAccount,
      examples: [
        ['msgctl accounts delete Bakery', 'asks for its name; its credits return to the agency'],
        ['msgctl accounts delete acc_1 --confirm Bakery', 'in scripts'],
      ],
      title: ({ name }) => String(name),
      consequence: ({ balance }) => ` with everything in it, and return its ${counted(Number(balance ?? 0), 'credit')} to the agency`,
      severalConsequence: () => ' with everything in them',
      wantsName: true,
    }),
    transferVerb,
    topUpVerb,
    {
      name: 'use',
      summary: 'Choose the sub-account that commands with this profile act on',
      examples: [
        ['msgctl accounts use Bakery', 'act on a sub-account until changed'],
        ['msgctl accounts use own', "act on the key's own account again, like --own"],
      ],
      arguments: [{ name: 'id', summary, completes: subAccountLookup, isOptional: true }],
      options: [{ flags: '--own', summary: "act on the key's own account" }],
      shown: { columns: ['sub_account_id'] },
      run: use,
    },
  ],
};
