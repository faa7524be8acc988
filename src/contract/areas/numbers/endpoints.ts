import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { name, nextCursor, pageQuery, timestamp } from '../../fields.ts';
import { channelNames } from '../channels/names.ts';

/** The days of the counts of messages, today included. */
export const countedDays = 30;

const channel = () => z.enum(channelNames);

const phoneNumber = () =>
  z.object({
    number: z.string().describe('the number, in E.164'),
    label: z.string().nullable().describe('what people call it; null without one'),
    country: z.string().nullable().describe('the country of the number; null when it does not show it'),
    channels: z
      .array(z.object({ channel: channel(), status: z.enum(['connected', 'disconnected']), connected_at: timestamp().nullable() }))
      .describe('the channels of the number, in the order in which it was first connected'),
    default_agents: z
      .array(z.object({ channel: channel(), agent_id: z.string().nullable().describe('the id of the agent; null for nobody') }))
      .describe('who answers new contacts on each of these channels'),
    messages_30d: z
      .object({ sent: z.int(), received: z.int() })
      .describe(`the messages of the last ${countedDays} days in UTC, today included`),
  });

const shared = { section: 'Phone Numbers', access: 'account' } as const;
const answer = { 200: () => z.object({ phone_number: phoneNumber() }) } as const;

export const listNumbers = endpoint({
  ...shared,
  name: 'numbers.list',
  method: 'GET',
  path: '/phone-numbers',
  summary: 'List the own phone numbers with their channels, agents and messages, newest first',
  query: () => z.object(pageQuery()),
  rows: 'phone_numbers',
  responses: { 200: () => z.object({ phone_numbers: z.array(phoneNumber()), next_cursor: nextCursor() }) },
});

export const getNumber = endpoint({
  ...shared,
  name: 'numbers.get',
  method: 'GET',
  path: '/phone-numbers/{number}',
  summary: 'Show an own phone number',
  responses: answer,
  errors: [404],
});

export const updateNumber = endpoint({
  ...shared,
  name: 'numbers.update',
  method: 'PUT',
  path: '/phone-numbers/{number}',
  permission: 'integrations.edit',
  summary: 'Label an own phone number',
  body: () => z.object({ label: name().nullable().optional().describe('what people call the number') }),
  responses: answer,
  errors: [404],
});

export const numberEndpoints = [listNumbers, getNumber, updateNumber] as const;
