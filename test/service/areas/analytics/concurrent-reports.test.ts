import { expect, it } from 'vitest';
import { TestService } from '../../../support/test-service.ts';

it('reports by tags that run at the same time see what was written before', async () => {
  const service = await TestService.open();
  await service.liftLimits();
  expect((await service.sandbox('POST', '/demo', { messages: 4_000, days: 20, seed: 4 })).status).toBe(200);
  const path = '/analytics/outcomes?from=2027-02-01&to=2027-03-01';
  const [before, ...others] = await Promise.all(Array.from({ length: 4 }, () => service.get(path)));
  for (const other of others) expect(other.body).toEqual(before?.body);
  const contact = { phone_number: '+14152000000', channel: 'chatapp', tags: ['Imported'] };
  expect((await service.post('/contacts/import', { contacts: [contact] })).status).toBe(200);
  const sent = { channel: 'chatapp', phone_number: '+14152000000', body: 'Hello.' };
  expect((await service.post('/contacts/send', sent)).status).toBe(201);
  const after = (await service.get(path)).body;
  expect(after.totals.sessions).toBe(before?.body.totals.sessions + 1);
  expect(after.totals.unresolved).toBe(before?.body.totals.unresolved);
  await service.close();
});
