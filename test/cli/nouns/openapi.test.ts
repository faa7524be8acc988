import { expect } from 'vitest';
import { it } from '../../support/shared-home-test.ts';

it('openapi search finds endpoints by words, also by a name such as createTag', async ({ home }) => {
  for (const [words, path, field] of [
    ['createTag', '/tags', 'name'],
    ['createContact', '/contacts', 'phone_number'],
    ['webhook secret', '/webhooks/{webhookId}/signing-secret', null],
  ] as const) {
    const [first] = (await home.run('openapi', 'search', words, '-o', 'json')).json.endpoints as { path: string; request: object | null }[];
    expect([words, first?.path]).toEqual([words, path]);
    if (field !== null) expect(first?.request).toMatchObject({ properties: { [field]: {} } });
  }
  const none = await home.runOnTerminal(80, 'openapi', 'search', 'zzzqq');
  expect([none.code, none.stdout + none.stderr]).toEqual([0, 'Nothing matches.\n']);
});
