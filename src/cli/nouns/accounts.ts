import * as contract from '../../contract/areas/accounts/endpoints.ts';
import { lookup } from '../command/lookup.ts';
import { callVerb } from '../command/call-verb.ts';
import type { Noun, Options, Session } from '../command/noun.ts';
import { usageError } from '../errors.ts';
import type { Result } from '../output/result.ts';

const columns = ['id', 'name', 'email', 'balance', 'created_at', 'updated_at'] as const;

const ids = lookup(contract.listSubAccounts, 'sub_accounts', 'name');

const shared = { arguments: [{ param: 'id', summary: 'the id of a sub-account', completes: ids }] } as const;

/** Stores in the profile the account that its commands act on. */
async function use({ targets, notes }: Session, [id]: readonly string[], options: Options): Promise<Result> {
  if ((id === undefined) === (options.own !== true)) throw usageError('Give the id of a sub-account, or --own');
  if (id !== undefined) await (await targets.client()).call(contract.getSubAccount, { params: { id } });
  if (!(await targets.remember({ sub_account_id: id })))
    throw usageError('No profile of this service can store the choice', 'Log in with `msgctl login`, or set MSGCTL_SUB_ACCOUNT instead.');
  const { profile } = targets.resolve();
  notes.say(`The profile '${profile}' now acts on ${id ?? 'its own account'}.`);
  const record = { sub_account_id: id ?? null };
  return { kind: 'record', answer: record, record };
}

export const accounts: Noun = {
  name: 'accounts',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listSubAccounts,
      examples: [['msgctl accounts list', 'every sub-account with its balance']],
      shown: { columns },
    }),
    callVerb({
      ...shared,
      name: 'get',
      endpoint: contract.getSubAccount,
      examples: [['msgctl accounts get acc_1', 'show one sub-account']],
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
    callVerb({
      ...shared,
      name: 'delete',
      endpoint: contract.deleteSubAccount,
      examples: [['msgctl accounts delete acc_1', 'asks for confirmation; its credits return to the agency']],
      confirm: ([id]) => `Delete the sub-account ${id} and everything in it?`,
      shown: { columns: [] },
      done: (_answer, [id]) => `Deleted the sub-account ${id}.`,
    }),
    callVerb({
      ...shared,
      name: 'transfer',
      endpoint: contract.transferCredits,
      examples: [
        ['msgctl accounts transfer acc_1 --amount 250', 'move credits from the agency to the sub-account'],
        ['msgctl accounts transfer acc_1 --amount=-50', 'move credits back to the agency'],
      ],
      fields: [{ field: 'amount', placeholder: 'credits' }],
      shown: { field: 'sub_account', columns },
    }),
    {
      name: 'use',
      summary: 'Choose the sub-account that commands with this profile act on',
      examples: [
        ['msgctl accounts use acc_1', 'act on a sub-account until changed'],
        ['msgctl accounts use --own', "act on the key's own account again"],
      ],
      arguments: [{ name: 'id', summary: 'the id of a sub-account', completes: ids, isOptional: true }],
      options: [{ flags: '--own', summary: "act on the key's own account" }],
      shown: { columns: ['sub_account_id'] },
      run: use,
    },
  ],
};
