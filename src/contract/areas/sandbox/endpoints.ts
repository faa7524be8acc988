import * as z from 'zod';
import { channelNames } from '../channels/names.ts';
import { endpoint } from '../../endpoint.ts';
import { eventNames } from '../webhooks/event-names.ts';
import { email, filledText, id, instant, longText, name, nextCursor, pageQuery, text, timestamp } from '../../fields.ts';
import { pairingStatuses } from '../channels/endpoints.ts';
import { jobKinds } from '../../job-kinds.ts';
import { limits } from '../../limits.ts';
import { permissions } from '../../permissions.ts';
import { accountKind, plan } from '../../plan.ts';
import { faultFields } from '../../faults.ts';
import { secret } from '../../secret.ts';
import { message, messageText } from '../messages/endpoints.ts';
import { commentChannels, routingSteps } from '../routing/decide.ts';
import { memberRole } from '../team/endpoints.ts';
import { template } from '../templates/template.ts';
import { failureTypes } from '../webhooks/endpoints.ts';

// The sandbox simulates what happens outside of the service: messages of contacts, replies of the team, the passing of time.
const shared = { section: 'System', access: 'sandbox' } as const;

/** A model may take 20 seconds to answer. */
const answering = { bytes: 64 * 1024 * 1024, milliseconds: 60_000 };

/** The kinds of replies. */
export const replySources = ['faq', 'greeting', 'handover', 'model', 'exact_text'] as const;

const clockReading = () => z.object({ now: timestamp(), frozen: z.boolean() });

export const getClock = endpoint({
  ...shared,
  name: 'sandbox.clock.get',
  method: 'GET',
  path: '/sandbox/clock',
  summary: "Read the service's clock",
  responses: { 200: clockReading },
});

export const setClock = endpoint({
  ...shared,
  name: 'sandbox.clock.set',
  method: 'POST',
  path: '/sandbox/clock',
  summary: 'Freeze the clock, now or at an instant, or let it run',
  body: () =>
    z
      .object({
        now: instant().optional().describe('freeze the clock at this ISO 8601 instant, which must not be in the past'),
        frozen: z.boolean().optional().describe('whether the clock is frozen'),
      })
      .refine((body) => body.now !== undefined || body.frozen !== undefined, { error: "give 'now' or 'frozen'" })
      .refine((body) => body.now === undefined || body.frozen !== false, { error: "'now' freezes the clock: leave out 'frozen': false" }),
  responses: { 200: clockReading },
});

export const advanceClock = endpoint({
  ...shared,
  name: 'sandbox.clock.advance',
  method: 'POST',
  path: '/sandbox/clock/advance',
  summary: 'Move a frozen clock forward and run the jobs that fall due, in order',
  // It runs and lists every job of a year, if asked to.
  answerLimits: { bytes: 256 * 1024 * 1024, milliseconds: 600_000 },
  body: () =>
    z.object({
      seconds: z.number().min(0).describe('seconds to move the clock forward'),
    }),
  responses: {
    200: () =>
      z.object({
        now: timestamp(),
        fired: z.array(z.object({ kind: z.string(), id: z.string(), at: timestamp() })),
      }),
  },
  errors: [409],
});

export const settle = endpoint({
  ...shared,
  name: 'sandbox.settle',
  method: 'POST',
  path: '/sandbox/settle',
  summary: 'Wait until all due jobs have run',
  responses: { 200: () => z.object({ jobs_run: z.int() }) },
  errors: [504],
});

export const resetStore = endpoint({
  ...shared,
  name: 'sandbox.reset',
  method: 'POST',
  path: '/sandbox/reset',
  summary: 'Delete everything in the store and create the first account again',
  responses: { 200: () => z.object({ account_id: z.string(), api_key: secret(z.string()) }) },
});

const hold = () => z.union([z.literal('all'), z.array(z.enum(jobKinds))]);

const jobsAnswer = () =>
  z.object({
    hold: hold(),
    waiting: z.record(z.string(), z.int()),
  });

export const getJobs = endpoint({
  ...shared,
  name: 'sandbox.jobs.get',
  method: 'GET',
  path: '/sandbox/jobs',
  summary: 'Count the waiting jobs by kind and show which kinds are held',
  responses: { 200: jobsAnswer },
});

export const holdJobs = endpoint({
  ...shared,
  name: 'sandbox.jobs.hold',
  method: 'POST',
  path: '/sandbox/jobs',
  summary: 'Keep jobs of the given kinds from running; an empty list releases all',
  body: () =>
    z.object({
      hold: hold().describe('the kinds of jobs to hold; `all` for every kind'),
    }),
  responses: { 200: jobsAnswer },
});

/** What a recurring event has of its series. */
const recurrence = () =>
  z.object({
    event_id: text(1_000),
    frequency: text(100),
    interval: z.int(),
    sequence: z.int(),
    count: z.int().nullable(),
  });

export const calendarEvent = () =>
  z.object({
    id: filledText(1_000),
    summary: text(),
    description: text().optional(),
    start: instant(),
    end: instant(),
    attendees: z.array(z.object({ email: text(200).optional(), phone: text(50).optional() })).max(1_000),
    recurrence: recurrence().optional(),
  });

export type CalendarEvent = z.output<ReturnType<typeof calendarEvent>>;

/** The number of events that a calendar holds at most. */
export const calendarEventsMax = 10_000;

const calendar = () =>
  z.object({
    connected: z.boolean().optional(),
    calendars: z
      .array(z.object({ id: id(), summary: text(), timeZone: text(100), accessRole: text(100), primary: z.boolean() }))
      .max(1_000)
      .optional(),
    events: z.array(calendarEvent()).optional(),
  });

export type CalendarFixture = z.output<ReturnType<typeof calendar>>;

const ownAiKey = () => z.enum(['none', 'valid', 'failing']);

const templateProvider = () => z.enum(['managed', 'own_account', 'own_account_incomplete']);

const account = () =>
  z.object({
    id: z.string(),
    name: z.string(),
    email: z.string().nullable(),
    kind: accountKind(),
    parent_account_id: z.string().nullable(),
    plan: plan(),
    credits: z.number(),
    costs_hidden: z.boolean(),
    auto_recharge_enabled: z.boolean(),
    low_credit_threshold: z.number().nullable(),
    own_ai_key: ownAiKey(),
    template_provider: templateProvider(),
    calendar: calendar(),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

export const createAccount = endpoint({
  ...shared,
  name: 'sandbox.accounts.create',
  method: 'POST',
  path: '/sandbox/accounts',
  summary: 'Create an account with a main key',
  body: () =>
    z.object({
      name: name().describe('the name of the account'),
      email: email().nullable().optional().describe("the owner's email address"),
      kind: accountKind().describe('the kind of account; an agency manages sub-accounts'),
      parent_account_id: id().nullable().optional().describe('the agency that manages the account'),
      plan: plan().partial().optional().describe('fields that differ from the default plan'),
    }),
  responses: { 201: () => z.object({ account_id: z.string(), api_key: secret(z.string()) }) },
  errors: [404],
});

export const getAccount = endpoint({
  ...shared,
  name: 'sandbox.accounts.get',
  method: 'GET',
  path: '/sandbox/accounts/{id}',
  summary: 'Show an account with its plan and settings',
  responses: { 200: () => z.object({ account: account() }) },
  errors: [404],
});

/** The largest balance that can be set, in credits. It keeps sums exact. */
const creditsMax = 1_000_000_000;

export const updateAccount = endpoint({
  ...shared,
  name: 'sandbox.accounts.update',
  method: 'PATCH',
  path: '/sandbox/accounts/{id}',
  summary: 'Update the plan, credits and settings of an account; omitted fields keep their values',
  body: () =>
    z.object({
      plan: plan().partial().optional().describe('fields of the plan to change'),
      credits: z.number().min(0).max(creditsMax).optional().describe('set the credit balance'),
      costs_hidden: z.boolean().optional().describe('hide costs'),
      auto_recharge_enabled: z.boolean().optional().describe('recharge credits automatically'),
      low_credit_threshold: z
        .number()
        .min(0)
        .max(creditsMax)
        .nullable()
        .optional()
        .describe('emit the low-balance event below this balance'),
      own_ai_key: ownAiKey().optional().describe("the state of the account's own AI key"),
      template_provider: templateProvider().optional().describe('where message templates come from'),
      calendar: calendar()
        .extend({
          events: z.array(calendarEvent()).max(calendarEventsMax).optional(),
          ics: longText().optional().describe('the events of the calendar, as iCalendar text'),
        })
        .optional()
        .describe('calendars and their events'),
    }),
  responses: { 200: () => z.object({ account: account() }) },
  errors: [404],
});

export const makeMainKey = endpoint({
  ...shared,
  name: 'sandbox.accounts.mainKey',
  method: 'POST',
  path: '/sandbox/accounts/{id}/main-key',
  summary: 'Create a new main key, as the app does; the old key stops working',
  responses: { 200: () => z.object({ api_key: secret(z.string()) }) },
  errors: [404],
});

export const addMember = endpoint({
  ...shared,
  name: 'sandbox.members.add',
  method: 'POST',
  path: '/sandbox/accounts/{id}/members',
  summary: 'Add a member to an account and sign them in for one hour',
  body: () =>
    z.object({
      name: name().describe("the member's name"),
      email: email().describe("the member's email address"),
      permissions: z.array(z.enum(permissions)).describe('permissions of the member'),
      role: memberRole().optional().describe('the role of the member'),
    }),
  responses: { 201: () => z.object({ member_id: z.string(), id_token: secret(z.string()) }) },
  errors: [404, 409],
});

export const addChannel = endpoint({
  ...shared,
  name: 'sandbox.channels.add',
  method: 'POST',
  path: '/sandbox/accounts/{id}/channels',
  summary: 'Connect a channel by its phone number or account name',
  body: () =>
    z.object({
      channel: z.enum(channelNames).describe('the channel to connect'),
      identity: name().describe('a phone number in international format, or an account name'),
      name: name().optional().describe('a display name'),
    }),
  responses: { 201: () => z.object({ channel_id: z.string() }) },
  errors: [404, 409],
});

export const addUpload = endpoint({
  ...shared,
  name: 'sandbox.uploads.add',
  method: 'POST',
  path: '/sandbox/accounts/{id}/uploads',
  summary: 'Upload a file to the storage of an account',
  query: () =>
    z.object({
      filename: name()
        .refine((value) => !/[/\\]/.test(value) && value !== '.' && value !== '..', { error: 'must be a plain file name' })
        .describe('the name to store the file under'),
    }),
  rawBodyBytes: limits.uploadBytes,
  responses: { 201: () => z.object({ storage_path: z.string() }) },
  errors: [404],
});

/** Who answers, as the sandbox explains it. */
const decision = () =>
  z.object({
    step: z.enum(routingSteps),
    agent_id: z.string().nullable(),
    entry_point_id: z.string().nullable(),
    reason: z.string(),
    steps: z.array(z.object({ step: z.enum(routingSteps), decided: z.boolean(), reason: z.string() })),
  });

const reply = () => z.object({ message_id: z.string(), body: z.string(), source: z.enum(replySources) });

/** What became of something that a contact did. */
const received = () => ({
  contact_id: z.string(),
  message_id: z.string(),
  session_id: z.string(),
  decision: decision(),
  reply: reply().nullable(),
});

export const receiveInbound = endpoint({
  ...shared,
  name: 'sandbox.inbound',
  method: 'POST',
  path: '/sandbox/accounts/{id}/inbound',
  summary: 'Simulate a message from a contact',
  answerLimits: answering,
  body: () =>
    z.object({
      channel: z.enum(channelNames).describe('the channel of the message'),
      from: name().describe("the contact's number or account"),
      to: name().optional().describe('your number or account that receives the message'),
      text: messageText().describe('the text of the message'),
      first_name: text(limits.nameLength).optional().describe("the contact's first name"),
      last_name: text(limits.nameLength).optional().describe("the contact's last name"),
      reply_to_message_id: id().optional().describe('the message that the contact replies to'),
    }),
  responses: { 201: () => z.object(received()) },
  errors: [404],
});

export const receiveComment = endpoint({
  ...shared,
  name: 'sandbox.comments',
  method: 'POST',
  path: '/sandbox/accounts/{id}/comments',
  summary: 'Simulate a comment on a post',
  answerLimits: answering,
  body: () =>
    z.object({
      channel: z.enum(commentChannels).describe('the channel of the post'),
      post_id: id().describe('the id of the post'),
      from: name().describe("the contact's account"),
      text: messageText().describe('the text of the comment'),
      first_name: text(limits.nameLength).optional().describe("the contact's first name"),
    }),
  responses: { 201: () => z.object({ ...received(), public_reply: z.string().nullable() }) },
  errors: [404],
});

export const receiveFollower = endpoint({
  ...shared,
  name: 'sandbox.followers',
  method: 'POST',
  path: '/sandbox/accounts/{id}/followers',
  summary: 'Simulate a new follower of a personal account',
  answerLimits: answering,
  body: () =>
    z.object({
      from: name().describe("the contact's account"),
      first_name: text(limits.nameLength).optional().describe("the contact's first name"),
    }),
  responses: { 201: () => z.object({ ...received(), message_id: z.string().nullable(), session_id: z.string().nullable() }) },
  errors: [404],
});

export const askAgent = endpoint({
  ...shared,
  name: 'sandbox.ask',
  method: 'POST',
  path: '/sandbox/accounts/{id}/ask',
  summary: 'Show what an agent would answer, without any effect',
  answerLimits: answering,
  body: () =>
    z.object({
      agent_id: id().describe('the id of an agent'),
      question: messageText().describe('what the agent is asked'),
    }),
  responses: {
    200: () =>
      z.object({
        answer: z.string().nullable(),
        source: z.enum(replySources).nullable(),
        faqs: z.array(z.object({ faq_id: z.string(), score: z.number(), source_id: z.string().nullable(), url: z.string().nullable() })),
      }),
  },
  errors: [404],
});

/** The statuses that a delivery report can give a message. */
export const receiptStatuses = ['delivered', 'read', 'failed'] as const;

export const reportDelivery = endpoint({
  ...shared,
  name: 'sandbox.receipts',
  method: 'POST',
  path: '/sandbox/accounts/{id}/receipts',
  summary: 'Simulate a delivery report for a sent message',
  body: () =>
    z.object({
      message_id: id().describe('the id of a message'),
      status: z.enum(receiptStatuses).describe('delivered, read or failed'),
    }),
  responses: { 200: () => z.object({ message: message() }) },
  errors: [404, 409],
});

export const replyAsTeam = endpoint({
  ...shared,
  name: 'sandbox.teamReplies',
  method: 'POST',
  path: '/sandbox/accounts/{id}/team-replies',
  summary: 'Simulate a reply of a team member, who takes over the conversation',
  body: () =>
    z.object({
      contact_id: id().describe('the id of a contact'),
      text: messageText().describe('the text of the reply'),
    }),
  responses: { 200: () => z.object({ message_id: z.string(), contact_id: z.string(), channel: z.enum(channelNames) }) },
  errors: [402, 404, 422],
});

/** What a reviewer can decide. */
export const reviewOutcomes = ['approved', 'rejected'] as const;

export const reviewTemplate = endpoint({
  ...shared,
  name: 'sandbox.templates.review',
  method: 'POST',
  path: '/sandbox/accounts/{id}/templates/{templateId}/review',
  summary: 'Decide the review of a template',
  body: () =>
    z.object({
      outcome: z.enum(reviewOutcomes).describe('approved or rejected'),
      reason: filledText(1_000).optional().describe('why the template is rejected'),
    }),
  responses: { 200: () => z.object({ template: template().pick({ id: true, name: true, status: true, rejection_reason: true }) }) },
  errors: [404, 409],
});

const pairingStep = {
  ...shared,
  method: 'POST',
  responses: { 200: () => z.object({ phone_number: z.string(), status: z.enum(pairingStatuses) }) },
  errors: [404, 409],
} as const;

export const scanPairing = endpoint({
  ...pairingStep,
  name: 'sandbox.pairings.scan',
  path: '/sandbox/accounts/{id}/pairings/{phone}/scan',
  summary: 'Simulate a phone that scans the QR code',
});

export const expirePairing = endpoint({
  ...pairingStep,
  name: 'sandbox.pairings.expire',
  path: '/sandbox/accounts/{id}/pairings/{phone}/expire',
  summary: 'Simulate a QR code that expires before it is scanned',
});

export const dropPairing = endpoint({
  ...pairingStep,
  name: 'sandbox.pairings.drop',
  path: '/sandbox/accounts/{id}/pairings/{phone}/drop',
  summary: 'Simulate a lost connection of a paired number',
});

export const triggerEvent = endpoint({
  ...shared,
  name: 'sandbox.events.trigger',
  method: 'POST',
  path: '/sandbox/accounts/{id}/events',
  summary: 'Emit an event, with a sample record by default',
  body: () =>
    z.object({
      event: z.enum(eventNames).describe('the name of an event'),
      data: z.record(z.string(), z.unknown()).optional().meta({ description: 'the record to send', defaultText: 'a realistic sample' }),
    }),
  responses: { 200: () => z.object({ event_id: z.string() }) },
  errors: [404],
});

const deliveryAttempt = () =>
  z.object({
    at: timestamp(),
    attempt: z.int(),
    request_headers: z.record(z.string(), z.string()),
    request_body: z.string(),
    status_code: z.int().nullable(),
    failure_type: z.enum(failureTypes).nullable(),
    duration_ms: z.number(),
    response_body: z.string().nullable(),
  });

export const listDeliveries = endpoint({
  ...shared,
  name: 'sandbox.deliveries.list',
  method: 'GET',
  path: '/sandbox/deliveries',
  summary: 'List the webhook deliveries, newest first',
  query: () =>
    z.object({
      ...pageQuery(),
      account_id: id().optional().describe('only deliveries of events on this account'),
      webhook_id: id().optional().describe('only deliveries to this webhook, by id or name'),
    }),
  rows: 'deliveries',
  responses: {
    200: () =>
      z.object({
        deliveries: z.array(
          z.object({
            id: z.string(),
            account_id: z.string(),
            webhook_account_id: z.string(),
            webhook_id: z.string().nullable(),
            event: z.string(),
            event_id: z.string(),
            state: z.enum(['queued', 'delivered', 'failed', 'dropped']),
            next_attempt_at: timestamp().nullable(),
            attempts: z.array(deliveryAttempt()),
          }),
        ),
        next_cursor: nextCursor(),
      }),
  },
});

export const resendDelivery = endpoint({
  ...shared,
  name: 'sandbox.deliveries.resend',
  method: 'POST',
  path: '/sandbox/deliveries/{id}/resend',
  summary: 'Attempt a delivery again now, outside of its retry schedule',
  responses: { 200: () => z.object({ delivered: z.boolean() }) },
  errors: [404, 409],
});

export const listRequests = endpoint({
  ...shared,
  name: 'sandbox.requests.list',
  method: 'GET',
  path: '/sandbox/requests',
  summary: 'List the latest requests, newest first',
  query: () => z.object(pageQuery()),
  rows: 'requests',
  responses: {
    200: () =>
      z.object({
        requests: z.array(
          z.object({
            at: timestamp(),
            method: z.string(),
            path: z.string(),
            status: z.int(),
            duration_ms: z.number(),
            account_id: z.string().nullable(),
            key_preview: z.string().nullable(),
          }),
        ),
        next_cursor: nextCursor(),
      }),
  },
});

export const addFault = endpoint({
  ...shared,
  name: 'sandbox.faults.add',
  method: 'POST',
  path: '/sandbox/faults',
  summary: 'Add a fault that makes requests fail on purpose',
  body: () =>
    z
      .object(faultFields())
      .refine(
        (fault) => [fault.status, fault.delay_ms, fault.drop, fault.reporting_database].filter((kind) => kind !== undefined).length === 1,
        { error: "give exactly one of 'status', 'delay_ms', 'drop' and 'reporting_database'" },
      ),
  responses: { 200: () => z.object({ fault: z.object({ ...faultFields(), id: z.string() }) }) },
});

export const listFaults = endpoint({
  ...shared,
  name: 'sandbox.faults.list',
  method: 'GET',
  path: '/sandbox/faults',
  summary: 'List the active faults',
  responses: { 200: () => z.object({ faults: z.array(z.object({ ...faultFields(), id: z.string() })) }) },
});

export const clearFaults = endpoint({
  ...shared,
  name: 'sandbox.faults.clear',
  method: 'DELETE',
  path: '/sandbox/faults',
  summary: 'Remove every fault',
  responses: { 200: () => z.object({}) },
});

export const fillHistory = endpoint({
  ...shared,
  name: 'sandbox.demo',
  method: 'POST',
  path: '/sandbox/demo',
  summary: 'Fill the first account with a believable history, without events',
  body: () =>
    z.object({
      messages: z.int().min(1).max(20_000_000).optional().meta({ description: 'how many messages', defaultText: '10,000' }),
      days: z.int().min(1).max(1_000).optional().meta({ description: 'how many days up to now', defaultText: '92' }),
      seed: z.int().min(0).max(0xffff_ffff).optional().meta({ description: 'the same seed makes the same history', defaultText: '1' }),
    }),
  answerLimits: { bytes: 100_000, milliseconds: 1_800_000 },
  responses: {
    200: () =>
      z.object({
        contacts: z.int(),
        sessions: z.int(),
        messages: z.int(),
        appointments: z.int(),
        deliveries: z.int(),
        ledger_records: z.int(),
        ai_calls: z.int(),
      }),
  },
});

export const rebuildCounts = endpoint({
  ...shared,
  name: 'sandbox.rebuildCounts',
  method: 'POST',
  path: '/sandbox/rebuild-counts',
  summary: 'Rebuild the counters of analytics from the records, and say how many were wrong',
  answerLimits: { bytes: 100_000, milliseconds: 1_800_000 },
  responses: { 200: () => z.object({ changed: z.int() }) },
});

export const getJwks = endpoint({
  ...shared,
  access: 'public',
  name: 'sandbox.jwks',
  method: 'GET',
  path: '/sandbox/.well-known/jwks.json',
  summary: 'Return the public keys of the sandbox identity provider, and a proof that this server has the private one',
  query: () =>
    z.object({ nonce: z.string().min(1).max(limits.nonceLength).optional().describe('any text, new each time; the proof signs it') }),
  responses: {
    200: () => z.object({ keys: z.array(z.record(z.string(), z.unknown())), proof: z.string().optional() }),
  },
});

export const sandboxEndpoints = [
  resetStore,
  getClock,
  setClock,
  advanceClock,
  settle,
  createAccount,
  getAccount,
  updateAccount,
  makeMainKey,
  addMember,
  addChannel,
  addUpload,
  receiveInbound,
  receiveComment,
  receiveFollower,
  askAgent,
  reportDelivery,
  replyAsTeam,
  reviewTemplate,
  scanPairing,
  expirePairing,
  dropPairing,
  getJobs,
  holdJobs,
  triggerEvent,
  listDeliveries,
  resendDelivery,
  listRequests,
  addFault,
  listFaults,
  clearFaults,
  fillHistory,
  rebuildCounts,
  getJwks,
] as const;
