import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
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
            id: z.string(),
            name: z.string(),
            email: z.string(),
            role: memberRole(),
            permissions: z.array(z.enum(permissions)),
          }),
        ),
      }),
  },
});

export const teamEndpoints = [listMembers] as const;
