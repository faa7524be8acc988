import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { email, id, name, recordId } from '../../fields.ts';
import { permissions } from '../../permissions.ts';
import { accountKind } from '../../plan.ts';

export const memberRole = () => z.enum(['owner', 'member']);

const memberStatus = () =>
  z.enum(['invited', 'active']).describe('`invited` until the first request of the person on the account, then `active`');

const member = () =>
  z.object({
    id: recordId('mem_'),
    name: z.string(),
    email: z.string().describe('the email address, in lower case'),
    role: memberRole(),
    permissions: z.array(z.enum(permissions)).describe('what the member may do; all permissions for an owner'),
    status: memberStatus(),
  });

const membership = () =>
  z.object({
    id: recordId('acc_'),
    name: z.string(),
    kind: accountKind(),
    role: memberRole(),
    status: memberStatus(),
    current: z.boolean().describe("whether the person's tokens act on this account"),
  });

const shared = { section: 'Team', access: 'person' } as const;

export const listMembers = endpoint({
  ...shared,
  name: 'team.list',
  method: 'GET',
  path: '/team',
  summary: 'List the members of the account with their roles and permissions',
  responses: { 200: () => z.object({ members: z.array(member()) }) },
});

export const inviteMember = endpoint({
  ...shared,
  name: 'team.invite',
  method: 'POST',
  path: '/team',
  permission: 'team.edit',
  summary: 'Invite a person to the account',
  body: () =>
    z.object({
      name: name().describe("the person's name"),
      email: email().describe("the person's email address"),
      role: memberRole().optional().meta({ description: 'the role in the team', defaultText: 'member' }),
      permissions: z.array(z.enum(permissions)).optional().meta({ description: 'what the member may do', defaultText: 'none' }),
    }),
  responses: { 201: () => z.object({ member: member() }) },
  errors: [409],
});

export const updateMember = endpoint({
  ...shared,
  name: 'team.update',
  method: 'PUT',
  path: '/team/{id}',
  permission: 'team.edit',
  summary: 'Update the name, the role or the permissions of a member',
  body: () =>
    z.object({
      name: name().optional().describe("the member's name"),
      role: memberRole().optional().describe('the role in the team'),
      permissions: z.array(z.enum(permissions)).optional().describe('what the member may do; replaces the list'),
    }),
  responses: { 200: () => z.object({ member: member() }) },
  errors: [404, 409],
});

export const removeMember = endpoint({
  ...shared,
  name: 'team.remove',
  method: 'DELETE',
  path: '/team/{id}',
  permission: 'team.edit',
  summary: 'Remove a member from the account',
  responses: { 200: () => z.object({}) },
  errors: [404, 409],
});

export const listMemberships = endpoint({
  ...shared,
  isPersonal: true,
  name: 'team.accounts',
  method: 'GET',
  path: '/team/accounts',
  summary: 'List the accounts that the person is a member of',
  responses: { 200: () => z.object({ accounts: z.array(membership()) }) },
});

export const switchAccount = endpoint({
  ...shared,
  isPersonal: true,
  name: 'team.switch',
  method: 'POST',
  path: '/team/switch',
  summary: 'Let all tokens of the person act on another account that they are a member of',
  body: () => z.object({ account_id: id().describe('the id of the account') }),
  responses: { 200: () => z.object({ account: membership() }) },
  errors: [404],
});

export const teamEndpoints = [listMembers, inviteMember, updateMember, removeMember, listMemberships, switchAccount] as const;
