import * as z from 'zod';
import { answerSchema, type Endpoint } from '../../endpoint.ts';
import { recordId, timestamp } from '../../fields.ts';
import { getAppointment } from '../appointments/endpoints.ts';
import { getBroadcast } from '../broadcasts/endpoints.ts';
import { listChannels } from '../channels/endpoints.ts';
import { contact } from '../contacts/endpoints.ts';
import { getCredits } from '../credits/endpoints.ts';
import { message } from '../messages/endpoints.ts';
import { getSession } from '../sessions/endpoints.ts';
import { getSummary } from '../summaries/endpoints.ts';
import { getTask } from '../tasks/endpoints.ts';
import type { EventName } from './event-names.ts';

/** The record of an event under its noun, as the answer that shows the record has it (rule webhooks.31). */
interface EventRecord {
  readonly noun: string;
  readonly schema: () => z.ZodType;
}

const recordOf = (endpoint: Endpoint, noun: string): EventRecord => ({
  noun,
  schema: () => answerSchema(endpoint).shape[noun] as z.ZodType,
});

const contactRecord: EventRecord = { noun: 'contact', schema: contact };
const messageRecord: EventRecord = { noun: 'message', schema: message };
const appointmentRecord = recordOf(getAppointment, 'appointment');
const taskRecord = recordOf(getTask, 'task');
const broadcastRecord = recordOf(getBroadcast, 'broadcast');
const creditsRecord: EventRecord = { noun: 'credits', schema: () => answerSchema(getCredits) };

const alert = () =>
  z.object({
    contact_id: z.string(),
    chat_session_id: z.string().nullable().describe('the id of the chat session'),
    agent_id: z.string().nullable(),
    reason: z.string().describe('why the agent asks for a person'),
  });

const eventRecords: Readonly<Record<EventName, EventRecord>> = {
  'Contact Created': contactRecord,
  'the service Alerted': { noun: 'alert', schema: alert },
  'Appointment Booked': appointmentRecord,
  'Appointment Cancelled': appointmentRecord,
  'Appointment Rescheduled': appointmentRecord,
  Replies: messageRecord,
  Reads: messageRecord,
  Deliveries: messageRecord,
  'Credits Spent': creditsRecord,
  'Credits Recharged': creditsRecord,
  'Low Credit Balance': creditsRecord,
  'Contact Paused': contactRecord,
  'Contact Do Not Disturb': contactRecord,
  'Contact Unarchived': contactRecord,
  'New Message': messageRecord,
  'Contact Resumed': contactRecord,
  'Chat Concluded': recordOf(getSession, 'chat_session'),
  'Task Created': taskRecord,
  'Task Updated': taskRecord,
  'Task Completed': taskRecord,
  'Daily Summary Created': recordOf(getSummary, 'summary'),
  'Channel Connected': { noun: 'channel', schema: () => (answerSchema(listChannels).shape.channels as z.ZodArray<z.ZodType>).element },
  'Broadcast Started': broadcastRecord,
  'Broadcast Completed': broadcastRecord,
};

/** The payload of a delivery of an event (rule webhooks.38). */
export function payloadSchema(event: EventName) {
  const { noun, schema } = eventRecords[event];
  return z.object({
    event: z.literal(event).describe('the name of the event'),
    event_id: recordId('evt_'),
    occurred_at: timestamp().describe('when it happened'),
    user: z
      .object({ id: recordId('acc_'), name: z.string().describe('the name of the account'), email: z.string().nullable() })
      .describe('the account on which it happened'),
    data: z.object({ [noun]: schema().describe('the record') }).describe('the record, under its noun'),
  });
}

/** The headers of every delivery, with what they say (rules webhooks.37, webhooks.40). */
export const deliveryHeaderTexts = {
  'X-Webhook-Delivery': 'the id of the delivery, the same at every attempt: discard what you have already handled',
  'X-Webhook-Attempt': 'the number of the attempt, from 1',
  'X-Webhook-Event': 'the name of the event',
} as const;

/** The headers of a delivery of a webhook with a signing secret (rule webhooks.77). */
export const signatureHeaderTexts = {
  'X-Webhook-Timestamp': 'when it was signed, in Unix seconds: refuse it when it is more than 300 seconds off',
  'X-Webhook-Signature': 'v1= and the HMAC-SHA-256 of the timestamp, a dot and the raw body, in hexadecimal',
} as const;
