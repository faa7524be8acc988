import type { EventName } from '../../../contract/areas/webhooks/event-names.ts';
import { iso } from '../../../contract/time/instants.ts';
import { newId } from '../../store/ids.ts';

/** How long before the event the sample's records were created, in milliseconds. */
const earlier = 3_600_000;

function contact(now: number, more: object = {}) {
  return {
    id: newId('con'),
    phone_number: '+14155550123',
    identity: null,
    first_name: 'Ada',
    last_name: 'Sample',
    email: 'ada@sample.example',
    company: null,
    channel: 'chatapp',
    country: 'US',
    tags: [],
    list_ids: [],
    agent_id: null,
    do_not_disturb: false,
    private_mode: false,
    paused: false,
    archived: false,
    last_message_at: iso(now),
    created_at: iso(now - earlier),
    updated_at: iso(now),
    ...more,
  };
}

function message(now: number, more: object) {
  return {
    id: newId('msg'),
    contact_id: newId('con'),
    session_id: newId('ses'),
    channel: 'chatapp',
    direction: 'outbound',
    type: 'text',
    body: 'Your table is booked for tonight.',
    status: 'sent',
    sender: 'automated',
    agent_id: null,
    campaign_id: null,
    template_id: null,
    created_at: iso(now),
    ...more,
  };
}

const inbound = { direction: 'inbound', body: 'Thank you, see you then!', status: 'received', sender: 'contact' };

function appointment(now: number, more: object = {}) {
  return {
    id: newId('apt'),
    contact_id: newId('con'),
    event_id: newId('evn'),
    status: 'Confirmed',
    start_time: iso(now + earlier),
    end_time: iso(now + 1.5 * earlier),
    created_at: iso(now),
    last_modified_at: iso(now),
    room_name: null,
    description: null,
    summary: 'Consultation',
    cancelation_reason: null,
    ext_calendar_event_id: null,
    calendar_synced: false,
    imported: false,
    is_recurring: false,
    recurrence_frequency: null,
    recurring_event_id: null,
    recurring_interval: null,
    recurring_sequence: null,
    end_after_x_occurrences: null,
    booking_provider: null,
    ...more,
  };
}

function task(now: number, more: object = {}) {
  return {
    id: newId('tsk'),
    title: 'Call back',
    description: 'Asked for a call in the afternoon',
    contact_id: newId('con'),
    assignee: null,
    due_at: iso(now + earlier),
    status: 'open',
    created_at: iso(now - earlier),
    updated_at: iso(now),
    ...more,
  };
}

function broadcast(now: number, status: string, sent: number) {
  return {
    id: newId('brd'),
    name: 'Spring offer',
    channel: 'chatapp',
    agent_id: null,
    body: 'Spring is here: 10 % off this week.',
    template_id: null,
    contact_ids: [],
    list_ids: [newId('lst')],
    scheduled_at: null,
    status,
    counts: { total: 120, sent, delivered: 0, read: 0, replied: 0, failed: 0 },
    created_at: iso(now - earlier),
    updated_at: iso(now),
  };
}

function credits(balance: number) {
  return { balance, monthly_credits: null, used_this_month: 12, auto_recharge_enabled: false, low_credit_threshold: 100 };
}

/** A sample record for each event, with its noun as the key (rule webhooks.31). */
const samples: Readonly<Record<EventName, (now: number) => object>> = {
  'Contact Created': (now) => ({ contact: contact(now) }),
  'the service Alerted': () => ({
    alert: { contact_id: newId('con'), chat_session_id: newId('ses'), agent_id: newId('agt'), reason: 'asked' },
  }),
  'Appointment Booked': (now) => ({ appointment: appointment(now) }),
  'Appointment Cancelled': (now) => ({ appointment: appointment(now, { status: 'Canceled' }) }),
  'Appointment Rescheduled': (now) => ({ appointment: appointment(now, { start_time: iso(now + 2 * earlier) }) }),
  Replies: (now) => ({ message: message(now, inbound) }),
  Reads: (now) => ({ message: message(now, { status: 'read' }) }),
  Deliveries: (now) => ({ message: message(now, { status: 'delivered' }) }),
  'Credits Spent': () => ({ credits: credits(988) }),
  'Credits Recharged': () => ({ credits: credits(1099) }),
  'Low Credit Balance': () => ({ credits: credits(99) }),
  'Contact Paused': (now) => ({ contact: contact(now, { paused: true }) }),
  'Contact Do Not Disturb': (now) => ({ contact: contact(now, { do_not_disturb: true }) }),
  'Contact Unarchived': (now) => ({ contact: contact(now) }),
  'New Message': (now) => ({ message: message(now, inbound) }),
  'Contact Resumed': (now) => ({ contact: contact(now) }),
  'Chat Concluded': (now) => ({
    chat_session: {
      id: newId('ses'),
      contact_id: newId('con'),
      channel: 'chatapp',
      agent_id: null,
      started_at: iso(now - 24 * earlier),
      concluded_at: iso(now),
      outcome: 'replied',
      alerted: false,
      created_at: iso(now - 24 * earlier),
      updated_at: iso(now),
    },
  }),
  'Task Created': (now) => ({ task: task(now) }),
  'Task Updated': (now) => ({ task: task(now, { description: 'Asked for a call tomorrow' }) }),
  'Task Completed': (now) => ({ task: task(now, { status: 'completed' }) }),
  'Daily Summary Created': (now) => ({
    summary: {
      id: newId('sum'),
      kind: 'daily',
      date: iso(now).slice(0, 10),
      chat_session_id: null,
      contact_id: null,
      text: '14 conversations, 3 appointments booked.',
      created_at: iso(now),
    },
  }),
  'Channel Connected': (now) => ({
    channel: { channel: 'chatapp', identity: '+14155550100', name: 'Front desk', status: 'connected', connected_at: iso(now) },
  }),
  'Broadcast Started': (now) => ({ broadcast: broadcast(now, 'Sending', 0) }),
  'Broadcast Completed': (now) => ({ broadcast: broadcast(now, 'Sent', 120) }),
};

/** A sample record of an event, for test deliveries and the sandbox. */
export function sampleData(event: EventName, now: number): object {
  return samples[event](now);
}
