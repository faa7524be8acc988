import * as contract from '../../contract/areas/team/endpoints.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import { lookup } from '../verb/lookup.ts';
import type { Noun } from '../verb/noun.ts';

const columns = ['id', 'name', 'email', 'role', 'status', 'permissions'] as const;

const accountColumns = ['id', 'name', 'kind', 'role', 'status', 'current'] as const;

const memberLookup = lookup(contract.listMembers, 'members', 'email', {
  what: 'member',
  names: ({ email, name }) => [email, name],
  givenBy: 'the id, the email address or the name',
  folded: (word) => word.toLowerCase(),
});

const membershipLookup = lookup(contract.listMemberships, 'accounts', 'name', { what: 'account' });

const shared = {
  arguments: [{ param: 'id', summary: 'the id, the email address or the name of a member', lookup: memberLookup }],
} as const;

const standing = ['role', 'permissions'] as const;

export const team: Noun = {
  name: 'team',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listMembers,
      examples: [['msgctl team list', 'the members, with what they may do']],
      shown: { rows: 'members', columns },
    }),
    callVerb({
      name: 'invite',
      endpoint: contract.inviteMember,
      examples: [
        ['msgctl team invite ann@shop.example --name Ann --permissions contacts.view,contacts.edit', 'invite a person'],
        ['msgctl team invite bob@shop.example --name Bob --role owner', 'invite another owner'],
      ],
      arguments: [{ field: 'email' }],
      fields: ['name', ...standing],
      shown: { field: 'member', columns },
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateMember,
      examples: [['msgctl team update ann@shop.example --permissions contacts.view', 'replaces the permissions']],
      fields: ['name', ...standing],
      shown: { field: 'member', columns },
    }),
    deleteVerb({
      name: 'remove',
      lookup: memberLookup,
      endpoint: contract.removeMember,
      examples: [['msgctl team remove ann@shop.example', 'asks for confirmation']],
    }),
    callVerb({
      name: 'accounts',
      endpoint: contract.listMemberships,
      examples: [['msgctl team accounts', 'the accounts that you are a member of']],
      shown: { rows: 'accounts', columns: accountColumns },
    }),
    callVerb({
      name: 'switch',
      endpoint: contract.switchAccount,
      examples: [['msgctl team switch Bakery', 'your tokens act on that account from now on']],
      arguments: [{ field: 'account_id', summary: 'the id or the name of an account', lookup: membershipLookup }],
      shown: { field: 'account', columns: accountColumns },
    }),
  ],
};
