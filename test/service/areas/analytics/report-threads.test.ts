import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tagReportProgram } from '../../../../src/service/areas/analytics/tag-program.ts';
import { ServiceUnavailable } from '../../../../src/service/errors.ts';
import { ReadThreads } from '../../../../src/service/store/read-threads.ts';
import { engine, forwarding } from '../../../support/stores.ts';
import { TestService } from '../../../support/test-service.ts';

describe.runIf(engine === 'sqlite')('reports on more than 10,000 contacts with tags', () => {
  let service: TestService;
  /** A service on the same store that cannot use threads. */
  let other: TestService;
  let tags: string[];

  beforeEach(async () => {
    service = await TestService.open();
    await service.liftLimits();
    expect((await service.sandbox('POST', '/demo', { messages: 4_000, days: 20, seed: 4 })).status).toBe(200);
    for (let made = 0; made < 10_000; made += 500) {
      const contacts = Array.from({ length: 500 }, (_, index) => ({
        phone_number: `+1415${2_000_000 + made + index}`,
        tags: ['Imported'],
      }));
      expect((await service.post('/contacts/import', { contacts })).status).toBe(200);
    }
    tags = (await service.get('/tags')).body.tags.map(({ id }: { id: string }) => id);
    const store = await service.database.open();
    other = await TestService.on(service.database, { store: { ...forwarding(store), file: null } }, service);
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await other.close();
    await service.close();
  });

  it('are the same from threads', async () => {
    const run = vi.spyOn(ReadThreads.prototype, 'run');
    const [from, to] = ['2027-02-01', '2027-03-01'];
    const dashboard = `/analytics/dashboard-insights?startDate=${from}&endDate=${to}`;
    const [campaign] = (await service.get('/campaigns')).body.campaigns;
    const paths = [
      `/analytics/outcomes?from=${from}&to=${to}`,
      `/analytics/outcomes?from=${from}&to=${to}&campaign_id=${campaign.id}`,
      `${dashboard}&tag_ids=${tags.join(',')}`,
      `${dashboard}&tag_ids=${tags.join(',')}&campaign_id=${campaign.id}`,
    ];
    for (const path of paths) {
      const { status, body } = await service.get(path);
      expect(status).toBe(200);
      expect(body, path).toEqual((await other.get(path)).body);
    }
    expect(run).toHaveBeenCalledTimes(paths.length);
    const { data } = (await service.get(paths[2] as string)).body;
    const created = (countries: readonly { contacts: number }[]) => countries.reduce((sum, { contacts }) => sum + contacts, 0);
    expect(created(data.contactsByCountry)).toBeGreaterThan(10_000);
    expect(data.activityFeed).toHaveLength(20);
    expect(data.inboxSla.sampleSize).toBeGreaterThan(0);
  });

  it('run at the same time, and see what was written before', async () => {
    const path = '/analytics/outcomes?from=2027-02-01&to=2027-03-01';
    const [before] = await Promise.all(Array.from({ length: 4 }, () => service.get(path)));
    const sent = { channel: 'chatapp', phone_number: '+14152000000', body: 'Hello.' };
    expect((await service.post('/contacts/send', sent)).status).toBe(201);
    const after = (await service.get(path)).body;
    expect(after.totals.sessions).toBe(before?.body.totals.sessions + 1);
    expect(after.totals.unresolved).toBe(before?.body.totals.unresolved);
  });
});

it('a report fails if its threads cannot read the store, and the next one starts new threads', async () => {
  const threads = new ReadThreads(join('/nowhere', 'msgctl.db'), tagReportProgram);
  for (let attempt = 0; attempt < 2; attempt++) await expect(threads.run({ name: 'figures' })).rejects.toThrow(ServiceUnavailable);
  await threads.close();
});

it.runIf(engine === 'sqlite')('a report fails when the service closes, and does not keep it open', async () => {
  const service = await TestService.open();
  const file = service.database.file ?? '';
  const threads = new ReadThreads(file, tagReportProgram);
  const running = threads.run({ name: 'outcomes', asked: {} });
  await threads.close();
  await expect(running).rejects.toThrow(ServiceUnavailable);
  await service.close();
});
