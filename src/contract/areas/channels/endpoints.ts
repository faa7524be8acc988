import * as z from 'zod';
import { channelNames } from './names.ts';
import { endpoint } from '../../endpoint.ts';
import { nextCursor, pageQuery, phoneNumber, timestamp } from '../../fields.ts';

const shared = { section: 'Channels', access: 'account' } as const;

/** The statuses of a pairing. A service may also report a connected number as `open` (rule channels.4). */
export const pairingStatuses = ['qr_pending', 'connected', 'open', 'disconnected', 'not_initialized'] as const;

export const listChannels = endpoint({
  ...shared,
  name: 'channels.list',
  method: 'GET',
  path: '/channels',
  summary: 'List the connected channels',
  query: () => z.object(pageQuery()),
  rows: 'channels',
  responses: {
    200: () =>
      z.object({
        channels: z.array(
          z.object({
            channel: z.enum(channelNames),
            identity: z.string().describe('the own number in E.164, or the own account name'),
            name: z.string().nullable(),
            status: z.enum(['connected', 'disconnected']),
            connected_at: timestamp().nullable().describe('when it was last connected'),
          }),
        ),
        next_cursor: nextCursor(),
      }),
  },
});

export const startPairing = endpoint({
  ...shared,
  name: 'channels.pair',
  method: 'POST',
  path: '/channels/chatapp-web/connections',
  permission: 'messages.send',
  summary: 'Start pairing a chatapp-web number by QR code',
  body: () => z.object({ phone_number: phoneNumber() }),
  responses: { 200: () => z.object({ phone_number: z.string(), status: z.enum(pairingStatuses) }) },
  errors: [409],
});

export const getPairingCode = endpoint({
  ...shared,
  name: 'channels.qr',
  method: 'GET',
  path: '/channels/chatapp-web/connections/{phoneNumber}/qr',
  summary: 'Show the QR code of a pairing, as text and as an image; poll it every 10 to 15 seconds',
  responses: {
    200: () =>
      z.object({
        phone_number: z.string(),
        status: z.enum(pairingStatuses),
        qr_code: z.string().nullable(),
        qr_data_url: z.string().nullable(),
      }),
  },
  errors: [404, 410],
});

export const getPairingStatus = endpoint({
  ...shared,
  name: 'channels.status',
  method: 'GET',
  path: '/channels/chatapp-web/connections/{phoneNumber}/status',
  summary: 'Show the connection status of a chatapp-web number',
  responses: { 200: () => z.object({ status: z.enum(pairingStatuses) }) },
});

export const disconnectChannel = endpoint({
  ...shared,
  name: 'channels.disconnect',
  method: 'DELETE',
  path: '/channels/chatapp-web/connections/{phoneNumber}',
  permission: 'messages.send',
  summary: 'Disconnect a chatapp-web number; its monthly charge ends',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const channelEndpoints = [listChannels, startPairing, getPairingCode, getPairingStatus, disconnectChannel] as const;
