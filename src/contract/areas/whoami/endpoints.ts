import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { recordId, timestamp } from '../../fields.ts';
import { accountKind, plan } from '../../plan.ts';

export const getMe = endpoint({
  name: 'whoami.get',
  method: 'GET',
  path: '/users/me',
  section: 'Users',
  access: 'account',
  summary: 'Show the account that the request acts on',
  responses: {
    200: () =>
      z.object({
        user: z.object({
          id: recordId('acc_'),
          name: z.string(),
          email: z.string().nullable(),
          kind: accountKind(),
          plan: plan(),
          created_at: timestamp(),
          updated_at: timestamp(),
        }),
      }),
  },
});

export const whoamiEndpoints = [getMe] as const;
