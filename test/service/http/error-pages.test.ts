import { describe, expect } from 'vitest';
import { visit } from '../../support/public-pages.ts';
import { it } from '../../support/service-test.ts';

// Proves rule widgets.17.
describe('an address that a browser opens', () => {
  it.for(['/', '/m/unknown', '/l/unknown', '/w/unknown', '/b/unknown', '/s/unknown', '/nowhere'])(
    'is answered with a page: %s',
    async (path, { service }) => {
      const ask = async (accept: string) => await visit(service, 'GET', path, { headers: { accept } });
      const [page, json] = [await ask('text/html,*/*'), await ask('application/json')];
      expect([page.status, page.headers['content-type'], page.headers['content-security-policy']]).toEqual([
        404,
        'text/html; charset=utf-8',
        expect.stringContaining("style-src 'self'"),
      ]);
      expect([json.status, json.body.success]).toEqual([404, false]);
    },
  );

  it('is answered with JSON below the interface', async ({ service }) => {
    const answer = await service.call('GET', '/v1/nowhere', undefined, { headers: { accept: 'text/html' } });
    expect([answer.status, answer.body.success]).toEqual([404, false]);
  });
});
