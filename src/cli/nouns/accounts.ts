import * as contract from '../../contract/areas/accounts/endpoints.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import type { Noun, Options, Session } from '../verb/noun.ts';
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
    callVerb({
      name: 'create',
      endpoint: contract.createSubAccount,
      examples: [['msgctl accounts create Bakery --email owner@bakery.example', 'create a sub-account without credits']],
      arguments: [{ field: 'name' }],
      fields: ['email'],
      shown: { field: 'sub_account', columns },
    }),
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
    callVerb({
      ...shared,
      name: 'transfer',
      endpoint: contract.transferCredits,
      examples: [
        ['msgctl accounts transfer Bakery --amount 250', 'move credits from the agency to the sub-account'],
        ['msgctl accounts transfer Bakery --amount=-50', 'move credits back to the agency'],
      ],
      fields: [{ field: 'amount', placeholder: 'credits' }],
      shown: { field: 'sub_account', columns },
    }),
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
