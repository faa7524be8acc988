import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Workplace } from '../support/processes.ts';
import { keys, Terminal } from '../support/terminal.ts';
import { it, sandbox } from '../support/workplace-test.ts';

const open = (workplace: Workplace, argv: readonly string[], env: Record<string, string> = {}) =>
  new Terminal([...argv, '--profile', 'sandbox'], { HOME: workplace.path, NO_COLOR: '1', ...env });

const read = async (workplace: Workplace, ...argv: string[]) =>
  JSON.parse(await sandbox(workplace, ...argv, '-o', 'json')) as Record<string, { id: string }[]>;

describe('a question in a terminal', () => {
  it('names the record and its references, and declining it is not an error', async ({ workplace }) => {
    await sandbox(workplace, 'tags', 'create', 'VIP');
    const terminal = open(workplace, ['tags', 'delete', 'vip']);
    await terminal.waitFor("Delete the tag 'VIP' and remove it from 0 contacts?");
    terminal.type(`n${keys.enter}`);
    await terminal.waitFor('Nothing was changed.');
    expect(await terminal.end()).toBe(1);
    expect(terminal.text).not.toContain('Error');
    expect((await read(workplace, 'tags', 'list')).tags).toHaveLength(1);
  });

  it('requires the name of an account to be typed rather than y', async ({ workplace }) => {
    await sandbox(workplace, 'accounts', 'create', 'Bakery');
    const terminal = open(workplace, ['accounts', 'delete', 'Bakery']);
    await terminal.waitFor('Type Bakery to confirm:');
    terminal.type(`y${keys.enter}`);
    await terminal.waitFor('Type Bakery, or press Ctrl-C to cancel');
    terminal.type(`\u007fBakery${keys.enter}`);
    await terminal.waitFor('Deleted the sub-account Bakery.');
    expect(await terminal.end()).toBe(0);
    expect((await read(workplace, 'accounts', 'list')).sub_accounts).toEqual([]);
  });

  it('shows the recipients, channel and text of a broadcast, and requires its name beyond a hundred', async ({ workplace }) => {
    await sandbox(workplace, 'sandbox', 'channels', 'add', 'chatapp', '+14155550100');
    await sandbox(workplace, 'lists', 'create', 'Customers');
    const people = join(workplace.path, 'people.ndjson');
    const numbers = Array.from({ length: 101 }, (_, index) => `+1415555${2000 + index}`);
    writeFileSync(people, numbers.map((number) => `${JSON.stringify({ phone_number: number, tags: ['All'] })}\n`).join(''));
    await sandbox(workplace, 'contacts', 'import', people);
    const ids = (await read(workplace, 'contacts', 'list', '--all')).contacts?.map(({ id }) => id) ?? [];
    await sandbox(workplace, 'lists', 'add', 'Customers', ...ids);
    for (const [name, ...to] of [
      ['Small', '--contacts', numbers[0] ?? ''],
      ['Spring offer', '--lists', 'Customers'],
    ]) {
      await sandbox(workplace, 'broadcasts', 'create', name ?? '', ...to, '--body', '10 % off this week');
      await sandbox(workplace, 'broadcasts', 'submit', name ?? '');
    }
    const small = open(workplace, ['broadcasts', 'approve', 'Small']);
    await small.waitFor('Send "Small" on chatapp to 1 contact now? "10 % off this week"');
    small.type(keys.interrupt);
    expect(await small.end()).toBe(130);
    const terminal = open(workplace, ['broadcasts', 'approve', 'Spring offer']);
    await terminal.waitFor('Send "Spring offer" on chatapp to 101 contacts now? "10 % off this week"');
    await terminal.waitFor('Type Spring offer to confirm:');
    terminal.type(`Spring offer${keys.enter}`);
    expect(await terminal.end()).toBe(0);
    await sandbox(workplace, 'broadcasts', 'approve', 'Small', '--yes');
  });
});

describe('the questions of doctor --fix', () => {
  it('come after the report, failures first, and what is left out is named with the reason', async ({ workplace }) => {
    await sandbox(workplace, 'webhooks', 'create', 'http://127.0.0.1:9/hook', '--events', 'Replies', '--name', 'shop');
    const terminal = open(workplace, ['webhooks', 'doctor', 'shop', '--fix']);
    await terminal.waitFor('✗ The test delivery failed');
    await terminal.waitFor('! Failed deliveries are not retried');
    await terminal.waitFor('Passed: ');
    await terminal.waitFor('Not run: msgctl webhooks test shop');
    await terminal.waitFor('a short outage loses events. Run');
    terminal.type(`y${keys.enter}`);
    await terminal.waitFor('Done: msgctl webhooks update shop --retries-enabled');
    await terminal.waitFor('anyone could forge one. Run');
    terminal.type(`n${keys.enter}`);
    await terminal.waitFor('Not run: the receiver must be fixed first.');
    await terminal.waitFor('Fixed: Failed deliveries are not retried');
    await terminal.waitFor('Not run: you declined.');
    expect(await terminal.end()).toBe(1);
  });
});

describe('the question after the canary of an apply', () => {
  it.for([
    ['declined', `n${keys.enter}`, 1],
    ['interrupted', keys.interrupt, 130],
  ] as const)('ends the run when it is %s, and says what was written', async ([_, answer, code], { workplace }) => {
    const folder = join(workplace.path, 'accounts');
    for (const name of ['A', 'B', 'C']) await sandbox(workplace, 'accounts', 'create', name);
    await sandbox(workplace, 'dump', folder, '--sub-account', 'all');
    for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name, 'tags.yaml'), 'tags: [{ name: new }]\n');
    const terminal = open(workplace, ['apply', folder, '--sub-account', 'all', '--canary', '1', '-o', 'json']);
    await terminal.waitFor('Apply this to 3 accounts, first to C?');
    terminal.type(`y${keys.enter}`);
    await terminal.waitFor('1 account done. Continue with the other 2?');
    terminal.type(answer);
    await terminal.waitFor('The run ended after 1 account: 2 accounts left.');
    await terminal.waitFor('To undo this, run `msgctl undo r1 --profile sandbox --sub-account all`.');
    await terminal.waitFor('"run": "r1"');
    expect([await terminal.end(), terminal.text]).toEqual([code, expect.not.stringMatching(/nothing was changed/i)]);
    const tagsOf = async (name: string) => (await read(workplace, 'tags', 'list', '--sub-account', name)).tags;
    expect([await tagsOf('A'), await tagsOf('B'), await tagsOf('C')]).toMatchObject([[], [], [{ name: 'new' }]]);
  });
});

describe('a transfer of credits', () => {
  it('to one account asks on a terminal alone', async ({ workplace }) => {
    await sandbox(workplace, 'accounts', 'create', 'Bakery');
    const terminal = open(workplace, ['accounts', 'transfer', 'Bakery', '--amount', '5']);
    await terminal.waitFor('Move 5 credits to Bakery?');
    terminal.type(`n${keys.enter}`);
    expect(await terminal.end()).toBe(1);
    await sandbox(workplace, 'accounts', 'transfer', 'Bakery', '--amount', '5');
    expect((await read(workplace, 'accounts', 'get', 'Bakery')).sub_account).toMatchObject({ balance: 5 });
  });
});

describe('a plan for several accounts', () => {
  it('is in the pager when it is longer than the window, and its question counts the changes of all', async ({ workplace }) => {
    const folder = join(workplace.path, 'base');
    mkdirSync(folder);
    for (const name of ['A', 'B']) await sandbox(workplace, 'accounts', 'create', name);
    await sandbox(workplace, 'lists', 'create', 'Readers', '--sub-account', 'A');
    const tags = Array.from({ length: 30 }, (_, number) => `{ name: "tag ${number}" }`);
    writeFileSync(join(folder, 'tags.yaml'), `tags: [${tags.join(', ')}]\nlists: [{ name: Readers }]\n`);
    const terminal = open(workplace, ['apply', folder, '--sub-account', 'A,B'], { PAGER: "sed 's/^/paged: /'" });
    await terminal.waitFor('paged: + tag tag 29');
    await terminal.waitFor('Apply this to 2 accounts? 61 to create.');
    terminal.type(`y${keys.enter}`);
    await terminal.waitFor('30 of 30 done.');
    expect(await terminal.end()).toBe(0);
    const listed = open(workplace, ['undo', 'list']);
    expect([await listed.end(), listed.text]).toEqual([0, expect.stringMatching(/r1 .* 2 .* 61 /)]);
  });

  it('is not in the pager with --yes or --no-pager', async ({ workplace }) => {
    const folder = join(workplace.path, 'base');
    mkdirSync(folder);
    await sandbox(workplace, 'accounts', 'create', 'A');
    const tags = Array.from({ length: 30 }, (_, number) => `{ name: "tag ${number}" }`);
    writeFileSync(join(folder, 'tags.yaml'), `tags: [${tags.join(', ')}]\n`);
    const env = { PAGER: "sed 's/^/paged: /'" };
    const asked = open(workplace, ['apply', folder, '--sub-account', 'A', '--no-pager'], env);
    await asked.waitFor('Apply this to A? 30 to create.');
    asked.type(`n${keys.enter}`);
    expect([await asked.end(), asked.text]).toEqual([1, expect.not.stringContaining('paged: ')]);
    const unasked = open(workplace, ['apply', folder, '--sub-account', 'A', '--yes'], env);
    expect([await unasked.end(), unasked.text]).toEqual([0, expect.not.stringContaining('paged: ')]);
  });
});

describe('with --quiet', () => {
  it('an apply still says why it waits before its question', async ({ workplace }) => {
    writeFileSync(join(workplace.path, 'tags.yaml'), 'tags: [{ name: VIP }]\n');
    await sandbox(workplace, 'sandbox', 'faults', 'add', '--path', '/tags', '--status', '429', '--times', '1');
    const terminal = open(workplace, ['apply', workplace.path, '-q']);
    await terminal.waitFor('The rate limit is used up; trying again in');
    await terminal.waitFor('+ tag VIP');
    await terminal.waitFor('Apply this to');
    terminal.type(`y${keys.enter}`);
    await terminal.waitFor('1 done.');
    expect([await terminal.end(), terminal.text]).toEqual([0, expect.not.stringContaining('To undo this')]);
  });

  it('says what a question is about', async ({ workplace }) => {
    await sandbox(workplace, 'accounts', 'create', 'Bakery');
    const topUp = open(workplace, ['accounts', 'top-up', '--below', '10', '--to', '20', '-q']);
    await topUp.waitFor('Bakery  0 + 20 = 20');
    await topUp.waitFor('Move 20 credits to 1 account?');
    topUp.type(`n${keys.enter}`);
    expect(await topUp.end()).toBe(1);
    await sandbox(workplace, 'sandbox', 'channels', 'add', 'chatapp', '+14155550100');
    await sandbox(workplace, 'contacts', 'create', '+14155550131');
    await sandbox(workplace, 'broadcasts', 'create', 'Spring', '--contacts', '+14155550131', '--body', 'Hello');
    await sandbox(workplace, 'broadcasts', 'submit', 'Spring');
    const approve = open(workplace, ['broadcasts', 'approve', 'Spring', '-q']);
    await approve.waitFor('Reached      1 of 1 contact');
    await approve.waitFor('Send "Spring" on chatapp to 1 contact now?');
    approve.type(`n${keys.enter}`);
    expect(await approve.end()).toBe(1);
  });
});

it('breaks a long question between words', async ({ workplace }) => {
  await sandbox(workplace, 'tags', 'create', 'Customers of the bakery');
  const terminal = open(workplace, ['tags', 'delete', 'Customers of the bakery']);
  await terminal.waitFor('(y/N)');
  const [, lines = ''] = /\? (Delete .*\(y\/N\))/s.exec(terminal.text) ?? [];
  const question = "Delete the tag 'Customers of the bakery' and remove it from 0 contacts? (profile sandbox, the embedded service) (y/N)";
  expect(lines.split(/\s+/)).toEqual(question.split(' '));
  terminal.type(`n${keys.enter}`);
  expect(await terminal.end()).toBe(1);
});

describe('a missing argument', () => {
  it('is asked for on a terminal', async ({ workplace }) => {
    const terminal = open(workplace, ['tags', 'create']);
    await terminal.waitFor('The name of the tag:');
    terminal.type(`Asked for${keys.enter}`);
    expect(await terminal.end()).toBe(0);
    expect((await read(workplace, 'tags', 'list')).tags).toMatchObject([{ name: 'Asked for' }]);
  });

  it('is an error without a terminal', async ({ workplace }) => {
    expect(await workplace.run(['tags', 'create', '--profile', 'sandbox'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("'name'"),
    });
  });
});
