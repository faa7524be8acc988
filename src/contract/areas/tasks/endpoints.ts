import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { id, instant, name, nextCursor, pageQuery, recordId, text, timestamp } from '../../fields.ts';
import { limits } from '../../limits.ts';

export const taskStatuses = ['open', 'completed'] as const;

const task = () =>
  z.object({
    id: recordId('tsk_'),
    title: z.string(),
    description: z.string().nullable(),
    contact_id: z.string().nullable(),
    assignee: z.string().nullable().describe('the person who is to do it, as free text'),
    due_at: timestamp().nullable(),
    status: z.enum(taskStatuses),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const fields = () => ({
  description: text().nullable().optional().describe('details of the task'),
  contact_id: id().nullable().optional().describe('the contact that the task is about'),
  assignee: text(limits.nameLength).nullable().optional().describe('the person to whom the task is assigned'),
  due_at: instant().nullable().optional().describe('when the task is due'),
});

const shared = { section: 'Tasks', access: 'account' } as const;
const edit = { ...shared, permission: 'contacts.edit' } as const;
const answer = { 200: () => z.object({ task: task() }) } as const;

export const listTasks = endpoint({
  ...shared,
  name: 'tasks.list',
  method: 'GET',
  path: '/tasks',
  permission: 'contacts.view',
  summary: 'List the tasks, newest first',
  query: () =>
    z.object({
      ...pageQuery(),
      contact_id: id().optional().describe('only tasks about this contact'),
      status: z.enum(taskStatuses).optional().describe('only tasks with this status'),
    }),
  rows: 'tasks',
  responses: { 200: () => z.object({ tasks: z.array(task()), next_cursor: nextCursor() }) },
  errors: [404],
});

export const createTask = endpoint({
  ...edit,
  name: 'tasks.create',
  method: 'POST',
  path: '/tasks',
  summary: 'Create a task',
  body: () => z.object({ title: name().describe('the title of the task'), ...fields() }),
  responses: { 201: () => z.object({ task: task() }) },
  errors: [404],
});

export const getTask = endpoint({
  ...shared,
  name: 'tasks.get',
  method: 'GET',
  path: '/tasks/{id}',
  permission: 'contacts.view',
  summary: 'Show a task',
  responses: answer,
  errors: [404],
});

export const updateTask = endpoint({
  ...edit,
  name: 'tasks.update',
  method: 'PUT',
  path: '/tasks/{id}',
  summary: 'Update a task',
  body: () =>
    z.object({
      title: name().optional().describe('the title of the task'),
      ...fields(),
      status: z.enum(taskStatuses).optional().describe('the status of the task'),
    }),
  responses: answer,
  errors: [404],
});

export const deleteTask = endpoint({
  ...edit,
  name: 'tasks.delete',
  method: 'DELETE',
  path: '/tasks/{id}',
  summary: 'Delete a task',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const completeTask = endpoint({
  ...edit,
  name: 'tasks.complete',
  method: 'POST',
  path: '/tasks/{id}/complete',
  summary: 'Mark a task as done',
  responses: answer,
  errors: [404],
});

export const taskEndpoints = [listTasks, createTask, getTask, updateTask, deleteTask, completeTask] as const;
