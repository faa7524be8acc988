import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { booleanQuery, id, nextCursor, pageQuery, recordId, timestamp } from '../../fields.ts';
import { entityTypes } from './entity-types.ts';
import { notificationKinds, severities } from './kinds.ts';

const kind = () => z.enum(notificationKinds);

export const notification = () =>
  z.object({
    id: recordId('ntf_'),
    kind: kind().describe('what happened'),
    severity: z.enum(severities).describe('how urgent it is'),
    title: z.string().describe('what happened, in a few words'),
    text: z.string().describe('what happened, and what to do'),
    entity: z
      .object({
        type: z.enum(entityTypes).describe('the kind of record'),
        id: z.string().nullable().describe('its id; of a channel its number; null when a webhook is gone'),
      })
      .nullable()
      .describe('the record that it is about; null for credits and plans'),
    read_at: timestamp().nullable().describe('when somebody on the account read it'),
    created_at: timestamp(),
  });

const shared = { section: 'Notifications', access: 'account' } as const;

export const listNotifications = endpoint({
  ...shared,
  name: 'notifications.list',
  method: 'GET',
  path: '/notifications',
  summary: 'List what happened on the account, newest first',
  query: () =>
    z.object({
      ...pageQuery(),
      kind: kind().optional().describe('only this kind'),
      unread: booleanQuery().optional().describe('only unread ones, or with false only read ones'),
    }),
  rows: 'notifications',
  responses: {
    200: () =>
      z.object({
        notifications: z.array(notification()),
        unread_count: z.int().describe('how many notifications of the account are unread, whatever the filters'),
        next_cursor: nextCursor(),
      }),
  },
});

export const readNotification = endpoint({
  ...shared,
  name: 'notifications.read',
  method: 'POST',
  path: '/notifications/{id}/read',
  summary: 'Mark a notification as read',
  responses: { 200: () => z.object({ notification: notification() }) },
  errors: [404],
});

export const readAllNotifications = endpoint({
  ...shared,
  name: 'notifications.readAll',
  method: 'POST',
  path: '/notifications/read-all',
  summary: 'Mark all notifications as read',
  responses: { 200: () => z.object({ read: z.int().describe('how many were unread') }) },
});

export const streamNotifications = endpoint({
  ...shared,
  name: 'notifications.stream',
  method: 'GET',
  path: '/notifications/stream',
  summary: 'Stream what happens on the account from now on, as server-sent events',
  isStream: true,
  query: () => z.object({ after: id().optional().describe('begin after the notification with this id, unless Last-Event-ID is sent') }),
  responses: { 200: () => z.object({}) },
  errors: [429],
});

export const notificationEndpoints = [streamNotifications, listNotifications, readNotification, readAllNotifications] as const;
