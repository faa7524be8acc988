/** The 24 events that a webhook can subscribe to (rule webhooks.28). */
export const eventNames = [
  'Contact Created',
  'the service Alerted',
  'Appointment Booked',
  'Appointment Cancelled',
  'Appointment Rescheduled',
  'Replies',
  'Reads',
  'Deliveries',
  'Credits Spent',
  'Credits Recharged',
  'Low Credit Balance',
  'Contact Paused',
  'Contact Do Not Disturb',
  'Contact Unarchived',
  'New Message',
  'Contact Resumed',
  'Chat Concluded',
  'Task Created',
  'Task Updated',
  'Task Completed',
  'Daily Summary Created',
  'Channel Connected',
  'Broadcast Started',
  'Broadcast Completed',
] as const;

export type EventName = (typeof eventNames)[number];

/** The event that a webhook can subscribe to but that is never emitted. */
export const neverEmitted = 'Channel Connected' satisfies EventName;

/** Finds an event by its name, ignoring case. */
export function findEventName(name: string): EventName | undefined {
  return eventNames.find((event) => event.toLowerCase() === name.toLowerCase());
}
