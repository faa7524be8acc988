import { expect } from 'vitest';
import { it } from '../../support/account-test.ts';
import { Events } from '../../support/events.ts';

// Proves rule tasks.2.
it.for(['completed', 'nonsense', 7])('a new task is open, whatever the requested status: %j', async (status, { service }) => {
  const answer = await service.post('/tasks', { title: 'x', status });
  expect([answer.status, answer.body.task.status]).toEqual([201, 'open']);
});

// Proves rule tasks.3.
it('null clears the optional fields of a task', async ({ service }) => {
  const { contact } = (await service.post('/contacts', { phone_number: '+14155550123' })).body;
  const full = { description: 'x', contact_id: contact.id, assignee: 'Eve', due_at: '2027-03-02T15:00:00.000Z' };
  const { task } = (await service.post('/tasks', { title: 'x', ...full })).body;
  expect(task).toMatchObject(full);
  const empty = { description: null, contact_id: null, assignee: null, due_at: null };
  expect((await service.put(`/tasks/${task.id}`, empty)).body.task).toEqual({ ...task, ...empty });
  expect((await service.put(`/tasks/${task.id}`, { title: null })).status).toBe(400);
});

// Proves rules tasks.10, contacts.48.
it('a task survives the deletion of its contact', async ({ service }) => {
  const { contact } = (await service.post('/contacts', { phone_number: '+14155550123' })).body;
  const { task } = (await service.post('/tasks', { title: 'x', contact_id: contact.id })).body;
  expect(task.contact_id).toBe(contact.id);
  await service.delete(`/contacts/${contact.id}`);
  expect((await service.get(`/tasks/${task.id}`)).body.task.contact_id).toBeNull();
});

// Proves rules tasks.1, tasks.5, tasks.6, tasks.7, tasks.8, tasks.9.
it('creating, updating and completing a task emits one event each', async ({ service }) => {
  const events = await Events.of(service);
  const { task } = (await service.post('/tasks', { title: 'x' })).body;
  await service.put(`/tasks/${task.id}`, { title: 'y' });
  const { body } = await service.post(`/tasks/${task.id}/complete`);
  expect(body.task).toMatchObject({ title: 'y', status: 'completed' });
  await service.post(`/tasks/${task.id}/complete`);
  await service.put(`/tasks/${task.id}`, { status: 'open' });
  await service.put(`/tasks/${task.id}`, { status: 'completed' });
  const told = await events.take();
  expect(told.map(({ event }) => event)).toEqual([
    'Task Created',
    'Task Updated',
    'Task Completed',
    'Task Updated',
    'Task Updated',
    'Task Completed',
  ]);
  expect(told[2]?.data).toEqual({ task: body.task });
  expect((await service.post('/tasks/tsk_x/complete')).status).toBe(404);
  await events.close();
});

// Proves rules tasks.12, tasks.13.
it('tasks are filtered by contact and status, page by page', async ({ service }) => {
  const contact = async (number: string) => (await service.post('/contacts', { phone_number: number })).body.contact.id as string;
  const [one, other] = [await contact('+14155550124'), await contact('+14155550125')];
  const task = async (title: string, id: string | null) => (await service.post('/tasks', { title, contact_id: id })).body.task.id as string;
  const done = await task('a', one);
  await task('b', one);
  await task('c', other);
  await task('d', null);
  await task('e', one);
  await service.post(`/tasks/${done}/complete`);
  const titles = async (query: string) => (await service.get(`/tasks?${query}`)).body.tasks.map(({ title }: { title: string }) => title);
  expect(await titles(`contact_id=${one}`)).toEqual(['e', 'b', 'a']);
  expect(await titles('status=open')).toEqual(['e', 'd', 'c', 'b']);
  expect(await titles('status=completed')).toEqual(['a']);
  expect(await titles(`contact_id=${one}&status=open`)).toEqual(['e', 'b']);
  const { tasks, next_cursor: cursor } = (await service.get(`/tasks?contact_id=${one}&status=open&limit=1`)).body;
  expect(tasks).toMatchObject([{ title: 'e' }]);
  expect(await titles(`contact_id=${one}&status=open&limit=1&cursor=${cursor}`)).toEqual(['b']);
  expect((await service.get(`/tasks?contact_id=${one}&cursor=${cursor}`)).status).toBe(400);
  expect((await service.get('/tasks?status=late')).status).toBe(400);
  expect((await service.get('/tasks?contact_id=con_unknown')).status).toBe(404);
});
