import * as contract from '../../contract/areas/accounts/endpoints.ts';
import { callVerb, given, type Lookup, type Noun, type Options, parseNumber, type Session } from '../command/command.ts';
import { usageError } from '../errors.ts';
import type { Result } from '../output/result.ts';

const columns = ['id', 'name', 'email', 'balance', 'created_at', 'updated_at'];

const ids: Lookup = { endpoint: contract.listSubAccounts, rows: 'sub_accounts', label: 'name' };

/** Remembers in the profile on which account to act. */
async function use({ targets, notes }: Session, [id]: readonly string[], options: Options): Promise<Result> {
  if ((id === undefined) === (options.own !== true)) throw usageError('Give the id of a sub-account, or --own');
  if (id !== undefined) await (await targets.client()).call(contract.getSubAccount, { params: { id } });
  if (!(await targets.remember({ sub_account_id: id })))
    throw usageError(
      'There is no profile of this service to remember it in',
      'Log in with `msgctl login`, or set MSGCTL_SUB_ACCOUNT instead.',
    );
  const { profile } = targets.resolve();
  notes.say(id === undefined ? `The profile '${profile}' acts on its own account.` : `The profile '${profile}' acts on ${id}.`);
  const record = { sub_account_id: id ?? null };
  return { kind: 'record', answer: record, record };
}

export const accounts: Noun = {
  name: 'accounts',
  summary: 'Manage the sub-accounts of an agency',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listSubAccounts,
      examples: [['msgctl accounts list', 'each sub-account with its balance']],
      shown: { columns },
    }),
    callVerb({
      name: 'get',
      endpoint: contract.getSubAccount,
      examples: [['msgctl accounts get acc_1', 'one sub-account']],
      arguments: [['<id>', 'the id of a sub-account', ids]],
      params: ['id'],
      shown: { field: 'sub_account', columns },
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createSubAccount,
      examples: [['msgctl accounts create Bakery --email owner@bakery.example', 'it starts without credits']],
      arguments: [['<name>', 'the name of the sub-account']],
      options: [{ flags: '--email <address>', summary: "the owner's e-mail address" }],
      body: ({ email }, [name]) => given({ name, email }),
      shown: { field: 'sub_account', columns },
    }),
    callVerb({
      name: 'delete',
      endpoint: contract.deleteSubAccount,
      examples: [['msgctl accounts delete acc_1', 'asks first; its credits go back to the agency']],
      arguments: [['<id>', 'the id of a sub-account', ids]],
      params: ['id'],
      confirm: ([id]) => `Delete the sub-account ${id} with all that it holds?`,
      shown: { columns: [] },
      done: (_answer, [id]) => `The sub-account ${id} is deleted.`,
    }),
    callVerb({
      name: 'transfer',
      endpoint: contract.transferCredits,
      summary: contract.transferCredits.summary,
      examples: [
        ['msgctl accounts transfer acc_1 --amount 250', 'from the agency to the sub-account'],
        ['msgctl accounts transfer acc_1 --amount=-50', 'and back'],
      ],
      arguments: [['<id>', 'the id of a sub-account', ids]],
      params: ['id'],
      options: [{ flags: '--amount <credits>', summary: 'how many credits; negative moves them back', required: true, parse: parseNumber }],
      body: ({ amount }) => given({ amount }),
      shown: { field: 'sub_account', columns },
    }),
    {
      name: 'use',
      summary: 'Act on a sub-account from now on, with this profile',
      examples: [
        ['msgctl accounts use acc_1', 'remembered until it is changed'],
        ['msgctl accounts use --own', "the key's own account again"],
      ],
      arguments: [['[id]', 'the id of a sub-account', ids]],
      options: [{ flags: '--own', summary: "act on the key's own account again" }],
      shown: { columns: ['sub_account_id'] },
      run: use,
    },
  ],
};
