import * as z from 'zod';
import { channelNames } from './channel-names.ts';
import { endpoint } from './endpoint.ts';
import { nextCursor, pageQuery, timestamp } from './fields.ts';

export const listChannels = endpoint({
  name: 'channels.list',
  method: 'GET',
  path: '/channels',
  section: 'Channels',
  access: 'account',
  summary: 'List the connected channels',
  query: () => z.object(pageQuery()),
  rows: 'channels',
  responses: {
    200: () =>
      z.object({
        channels: z.array(
          z.object({
            channel: z.enum(channelNames),
            identity: z.string(),
            name: z.string().nullable(),
            status: z.enum(['connected', 'disconnected']),
            connected_at: timestamp().nullable(),
          }),
        ),
        next_cursor: nextCursor(),
      }),
  },
});
