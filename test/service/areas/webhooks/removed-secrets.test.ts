import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { engine } from '../../../support/stores.ts';
import { TestService } from '../../../support/test-service.ts';

// Rows of many lengths, so that the database moves them between pages, continues them on other pages and frees pages.
const rounds = 200;

/** The request body for a subscription whose row is up to several pages long. */
function subscription(index: number) {
  return {
    name: `hook ${index}`,
    url: `http://127.0.0.1:9/${'p'.repeat((index * 37) % 400)}`,
    subscribed_to: ['Replies'],
    subscribed_to_tags: Array.from({ length: index % 9 === 0 ? 90 : index % 5 }, (_, tag) => `tag ${tag} ${'x'.repeat(index % 60)}`),
    generate_signing_secret: true,
  };
}

// Proves rule webhooks.102.
it.runIf(engine === 'sqlite')('the files of a closed store contain no removed secrets', async () => {
  const service = await TestService.open();
  const client = await service.makeAccount({ parent_account_id: service.accountId });
  await service.liftLimits();
  await service.liftLimits(client.account_id);
  const kept: string[] = [];
  const removed: string[] = [];
  for (let index = 0; index < rounds; index++) {
    const options = index % 2 ? { key: client.api_key } : {};
    const { body } = await service.post('/webhooks', subscription(index), options);
    const path = `/webhooks/hook%20${index}`;
    // A longer row moves within the database.
    if (index % 3 === 0) await service.put(path, { subscribed_to_tags: Array.from({ length: 40 }, (_, tag) => `new ${tag}`) }, options);
    const rotated = index % 4 === 0 ? (await service.post(`${path}/signing-secret`, undefined, options)).body : undefined;
    if (rotated) removed.push(body.signing_secret as string);
    const secret = (rotated ?? body).signing_secret as string;
    // Deletes the second half on the first account, and the whole client.
    const isKept = index % 2 === 0 && index < rounds / 2;
    (isKept ? kept : removed).push(secret);
    if (index % 7 === 0 && !isKept) await service.delete(`${path}/signing-secret`, options);
  }
  for (let index = rounds / 2; index < rounds; index += 2) expect((await service.delete(`/webhooks/hook%20${index}`)).status).toBe(200);
  expect((await service.delete(`/subaccounts/${client.account_id}`)).status).toBe(200);
  await service.service.close();

  const folder = dirname(service.database.file as string);
  const content = readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('');
  await service.database.remove();
  expect(removed.length).toBeGreaterThan(rounds / 2);
  expect(kept.filter((secret) => !content.includes(secret))).toEqual([]);
  expect(removed.filter((secret) => content.includes(secret))).toEqual([]);
});
