import { describe, expect } from 'vitest';
import type { BroadcastStatus } from '../../../src/contract/areas/broadcasts/endpoints.ts';
import { canReach } from '../../../src/cli/nouns/broadcasts/wait.ts';
import { it as base } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox' });
let contact: string;

it.beforeEach(async ({ home }) => {
  await home.run('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
  contact = (await home.run('contacts', 'create', '+14155550131', '-o', 'json')).json.contact.id as string;
});

const broadcast = async (home: Home, ...argv: string[]) => {
  const { json } = await home.run('broadcasts', 'create', 'Spring', '--contacts', contact, '--body', 'Hello', ...argv, '-o', 'json');
  return json.broadcast.id as string;
};

const step = async (home: Home, ...argv: string[]) => expect((await home.run('broadcasts', ...argv, '--yes')).code).toBe(0);

/** Waits, and runs `during` in each pause, which takes a second. */
const wait = async (home: Home, id: string, argv: string[], during: (pause: number) => unknown = () => {}) => {
  const waits: number[] = [];
  home.waits = waits;
  const onSleep = async () => {
    home.onSleep = async () => {};
    home.waits = [];
    home.now += waits.at(-1) ?? 0;
    await during(waits.length);
    Object.assign(home, { onSleep, waits });
  };
  home.onSleep = onSleep;
  const { code, stdout, stderr } = await home.run('broadcasts', 'wait', id, ...argv);
  home.onSleep = async () => {};
  return { code, stdout, stderr, waits };
};

describe('broadcasts wait', () => {
  it('prints the broadcast once it is sent', async ({ home }) => {
    const id = await broadcast(home);
    await step(home, 'submit', id);
    const approve = (pause: number) => pause === 2 && step(home, 'approve', id);
    const { code, stdout, stderr, waits } = await wait(home, id, ['-o', 'json'], approve);
    expect([code, stderr, JSON.parse(stdout)]).toEqual([0, '', { broadcast: expect.objectContaining({ id, status: 'Sent' }) }]);
    expect(waits).toEqual([500, 750]);
    const again = await wait(home, id, []);
    expect([again.code, again.stdout, again.waits]).toEqual([0, expect.stringMatching(/status +Sent/), []]);
  });

  it('names those whose messages failed, and says why', async ({ home }) => {
    const other = (await home.run('contacts', 'create', '+14155550132', '-o', 'json')).json.contact.id as string;
    await home.run('contacts', 'update', other, '--do-not-disturb');
    const id = await broadcast(home, '--contacts', `${contact},${other}`);
    await step(home, 'submit', id);
    await step(home, 'approve', id);
    const { code, stderr } = await wait(home, id, []);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('1 contact did not get it:\n  +14155550132: The contact has do-not-disturb turned on\n'),
    ]);
  });

  it('runs the background work of the embedded service while it waits', async ({ home }) => {
    const id = await broadcast(home);
    await step(home, 'submit', id);
    await home.run('sandbox', 'jobs', 'hold', 'broadcast');
    await step(home, 'approve', id);
    const release = (pause: number) => pause === 1 && home.run('sandbox', 'jobs', 'release');
    expect((await wait(home, id, ['--query', 'broadcast.counts.sent', '-o', 'json'], release)).stdout).toBe('1\n');
  });

  it.for(['sending', 'Sending', 'SENDING'])('accepts the status %s', async (status, { home }) => {
    const id = await broadcast(home);
    await step(home, 'submit', id);
    await home.run('sandbox', 'jobs', 'hold', 'broadcast');
    await step(home, 'approve', id);
    expect((await wait(home, id, ['--for', status])).code).toBe(0);
  });

  it('refuses any other status', async ({ home }) => {
    const { stdout } = await home.run('broadcasts', 'wait', '--help');
    expect(stdout.replace(/\s+/g, ' ')).toContain('(draft, pending-approval, scheduled, sending, paused, sent, failed; default: sent)');
    const { code, stderr } = await wait(home, 'brd_1', ['--for', 'done']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('must be one of draft, pending-approval, scheduled, sending')]);
  });

  it('exits 1 as soon as the status can no longer be reached', async ({ home }) => {
    const id = await broadcast(home, '--scheduled-at', '2100-01-01T00:00:00Z');
    await step(home, 'submit', id);
    await step(home, 'approve', id);
    const cancel = (pause: number) => pause === 1 && step(home, 'cancel', id);
    const cancelled = await wait(home, id, [], cancel);
    expect([cancelled.code, cancelled.stdout, cancelled.stderr]).toEqual([
      1,
      '',
      "Error: The broadcast 'Spring' is a draft: it is not sent until it is submitted and approved\n",
    ]);
    expect(cancelled.waits).toHaveLength(1);
    await step(home, 'update', id, '--scheduled-at', '');
    await step(home, 'submit', id);
    await home.run('sandbox', 'jobs', 'hold', 'broadcast');
    await step(home, 'approve', id);
    await home.run('contacts', 'update', contact, '--do-not-disturb');
    await home.run('sandbox', 'jobs', 'release');
    const failed = await wait(home, id, ['-o', 'json']);
    expect([failed.code, failed.stdout]).toEqual([1, '']);
    expect(JSON.parse(failed.stderr)).toMatchObject({
      code: 'state_passed',
      message: "The broadcast 'Spring' can no longer be sent: it is Failed, 0 of 1 sent, 1 failed",
      broadcast: { id, status: 'Failed' },
    });
    expect((await wait(home, id, ['--for', 'failed'])).code).toBe(0);
  });

  it('exits 1 when the broadcast is deleted, and 5 when there is none', async ({ home }) => {
    const id = await broadcast(home);
    await step(home, 'submit', id);
    const { code, stderr } = await wait(home, id, [], () => step(home, 'delete', id));
    expect([code, stderr]).toEqual([1, "Error: The broadcast 'Spring' was deleted\n"]);
    expect((await wait(home, id, [])).code).toBe(5);
  });

  it('exits 1 after the timeout', async ({ home }) => {
    const id = await broadcast(home);
    await step(home, 'submit', id);
    const { code, stderr, waits } = await wait(home, id, ['--timeout', '10s']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('was not sent within 10 seconds: it is Pending Approval, 0 of 1 sent')]);
    expect(stderr).toContain(`\`msgctl broadcasts approve ${id}\``);
    expect(waits.reduce((sum, pause) => sum + pause)).toBe(10_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(5_000);
    for (const timeout of ['0s', '10', 'soon']) expect((await wait(home, id, ['--timeout', timeout])).code).toBe(2);
  });

  it('waits for one account at a time', async ({ home }) => {
    expect(await home.run('broadcasts', 'wait', 'brd_1', '--sub-account', 'all,own')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('one account at a time'),
    });
  });

  it('knows which statuses can still be reached', () => {
    const reachable = (from: BroadcastStatus) =>
      ['draft', 'pending-approval', 'scheduled', 'sending', 'paused', 'sent', 'failed'].filter((word) => canReach(from, word)).join();
    expect(reachable('Draft')).toBe('');
    expect(reachable('Pending Approval')).toBe('draft,scheduled,sending,paused,sent,failed');
    expect(reachable('Scheduled')).toBe('draft,sending,paused,sent,failed');
    expect(reachable('Sending')).toBe('sending,paused,sent,failed');
    expect(reachable('Paused')).toBe('sending,paused,sent,failed');
    expect(reachable('Sent') + reachable('Failed')).toBe('');
  });
});
