import { describe, expect } from 'vitest';
import { call, engines, type Ready } from '../support/processes.ts';
import { it } from '../support/workplace-test.ts';

const control = (ready: Ready, method: string, path: string, body?: unknown) =>
  call(`${ready.sandbox_url}${path}`, ready.sandbox_token, method, body);

describe.each(engines)('on %s', (engine) => {
  // Proves rule billing.12.
  it('each month is added once and in order when servers are killed between a period and the next', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const first = await workplace.serve(options);
    const key = first.ready.api_key as string;
    await control(first.ready, 'POST', '/clock', { now: '2099-01-31T12:00:00Z' });
    const change = { plan_id: 'growth' };
    expect((await call(`${first.ready.base_url}/billing/change-plan`, key, 'POST', change)).status).toBe(200);
    await control(first.ready, 'POST', '/jobs', { hold: ['plan_renewal'] });
    await control(first.ready, 'POST', '/clock', { now: '2100-01-31T12:00:00Z' });
    await control(first.ready, 'POST', '/jobs', { hold: [] });
    first.child.kill('SIGKILL');
    await first.exited;
    for (const pass of [1, 3, 2]) await workplace.serveUntilKilled(options, `renewal.ending:${pass}`);
    const last = await workplace.serve(options);
    expect((await control(last.ready, 'POST', '/settle')).status).toBe(200);
    const { base_url: base } = last.ready;
    expect((await call(`${base}/users/me/credits`, key, 'GET')).body.balance).toBe(1_000 + 13 * 5_000);
    expect((await call(`${base}/billing/subscription`, key, 'GET')).body.subscription).toMatchObject({
      plan_id: 'growth',
      renews_at: '2100-02-28T12:00:00.000Z',
    });
  });
});
