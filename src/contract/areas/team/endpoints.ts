import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { recordId } from '../../fields.ts';
import { permissions } from '../../permissions.ts';

export const memberRole = () => z.enum(['owner', 'member']);

export const listMembers = endpoint({
  name: 'team.list',
  method: 'GET',
  path: '/team',
  section: 'Team',
  access: 'person',
  summary: 'List the members of the account with their roles and permissions',
  responses: {
    200: () =>
      z.object({
        members: z.array(
          z.object({
            id: recordId('mem_'),
            name: z.string(),
            email: z.string().describe('the email address, in lower case'),
            role: memberRole(),
            permissions: z.array(z.enum(permissions)).describe('what the member may do; all permissions for an owner'),
          }),
        ),
      }),
  },
});

export const teamEndpoints = [listMembers] as const;
