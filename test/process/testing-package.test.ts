import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it as plainIt } from 'vitest';
import { startService } from '../../src/testing/start-service.ts';
import type { ServiceError } from '../../src/testing/types.ts';
import { Receiver } from '../support/receiver.ts';
import { it } from '../support/workplace-test.ts';

const clock = '2027-03-01T09:00:00.000Z';

describe('msgctl/testing', () => {
  plainIt('runs the service with its controls as methods', async () => {
    const receiver = await Receiver.open();
    {
      await using service = await startService({ clock });
      await service.call('POST', '/webhooks', { url: receiver.url(), subscribed_to: ['New Message'] });
      await service.addChannel('sms', '+14155550100');
      const { contact_id: id } = await service.receive({ channel: 'sms', from: '+14155550123', text: 'Hello', first_name: 'Ada' });
      expect((await service.call('GET', `/contacts/${id}`)).contact).toMatchObject({ first_name: 'Ada' });
      await service.settle();
      expect(await service.deliveries()).toMatchObject([{ event: 'New Message', state: 'delivered' }]);
      await service.clock.advance(3_600);
      expect(await service.clock.now()).toEqual(new Date('2027-03-01T10:00:00Z'));
      await service.addFault({ match: { path: '/tags' }, status: 503, times: 1 });
      await expect(service.call('GET', '/tags')).rejects.toMatchObject({ status: 503 } satisfies Partial<ServiceError>);
      expect((await service.call('GET', '/tags')).tags).toEqual([]);
      const { api_key: other } = await service.createAccount({ name: 'Other' });
      expect((await service.call('GET', '/contacts', undefined, other)).contacts).toEqual([]);
      await expect(service.call('GET', '/contacts/x')).rejects.toThrow('GET /contacts/x was answered 404: Contact not found');
      expect((await service.requests())[0]).toMatchObject({ path: '/v1/contacts/x', status: 404 });
    }
    await receiver.close();
  });

  plainIt('begins where a test wants', async () => {
    const path = mkdtempSync(join(tmpdir(), 'msgctl-testing-'));
    try {
      await using service = await startService({ clock, seed: 1 });
      await service.call('POST', '/tags', { name: 'VIP' });
      await service.save(join(path, 'store.db'));
      await service.reset();
      expect((await service.call('GET', '/tags')).tags).toEqual([]);
      await service.load(join(path, 'store.db'));
      expect((await service.call('GET', '/tags')).tags).toMatchObject([{ name: 'VIP' }]);
    } finally {
      rmSync(path, { recursive: true });
    }
  });

  plainIt('has the same ids and keys with the same seed', async () => {
    const run = async (seed: number) => {
      await using service = await startService({ clock, seed });
      return [service.apiKey, service.accountId, (await service.call('POST', '/tags', { name: 'x' })).tag.id as string];
    };
    const first = await run(1);
    expect(await run(1)).toEqual(first);
    expect(await run(2)).not.toEqual(first);
    await expect(startService({ seed: 1 })).rejects.toThrow('seed needs clock');
    await expect(startService({ clock: 'soon' })).rejects.toThrow('clock: soon is no instant');
  });

  it('is what a program gets that depends on the package, with types', async ({ workplace }) => {
    const project = fileURLToPath(new URL('../..', import.meta.url));
    mkdirSync(join(workplace.path, 'node_modules'));
    symlinkSync(project, join(workplace.path, 'node_modules', 'msgctl'));
    symlinkSync(join(project, 'node_modules', '@types'), join(workplace.path, 'node_modules', '@types'));
    writeFileSync(
      join(workplace.path, 'uses.test.mts'),
      `import assert from 'node:assert/strict';
import test from 'node:test';
import { type Service, startService } from 'msgctl/testing';

test('a contact is created', async () => {
  await using service: Service = await startService({ clock: new Date('${clock}'), seed: 7 });
  const { contact } = await service.call('POST', '/contacts', { phone_number: '+14155550123' });
  assert.equal(contact.phone_number, '+14155550123');
  const now: Date = await service.clock.now();
  assert.equal(now.toISOString(), '${clock}');
});
`,
    );
    execFileSync(process.execPath, ['--test', 'uses.test.mts'], { cwd: workplace.path, stdio: 'pipe' });
    const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
    const options = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext', '--types', 'node', '--skipLibCheck'];
    const compile = (file: string) => execFileSync(process.execPath, [compiler, ...options, file], { cwd: workplace.path, stdio: 'pipe' });
    compile('uses.test.mts');
    writeFileSync(join(workplace.path, 'wrong.mts'), `import { startService } from 'msgctl/testing';\nawait startService({ clok: 1 });\n`);
    expect(() => compile('wrong.mts')).toThrow();
  });
});
