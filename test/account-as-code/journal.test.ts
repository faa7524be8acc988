import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolder } from '../../src/cli/files/make-folder.ts';
import { Journals } from '../../src/cli/account-as-code/journals.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'msgctl-journal-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('gives each run its own id, even before the run begins', () => {
  const here = new Journals(folder, 'http://127.0.0.1:1', makeFolder);
  const there = new Journals(folder, 'http://127.0.0.1:1', makeFolder);
  const ids = [here.nextRun(), there.nextRun(), here.nextRun()];
  expect(ids).toEqual(['r1', 'r2', 'r3']);
  const at = '2027-03-01T12:00:00.000Z';
  here.begin({ run: 'r1', at, account: 'acc_one', undoes: null, rules: [] }).close();
  expect(there.nextRun()).toBe('r4');
  expect(readdirSync(join(folder, readdirSync(folder)[0] ?? '')).sort()).toEqual(['acc_one', 'r4.taken']);
});

it('keeps the last hundred runs of an account', () => {
  const journals = new Journals(folder, 'http://127.0.0.1:1', makeFolder);
  const at = '2027-03-01T12:00:00.000Z';
  for (let made = 0; made < 103; made++)
    for (const account of made === 0 ? ['acc_one', 'acc_two'] : ['acc_one'])
      journals.begin({ run: journals.nextRun(), at, account, undoes: null, rules: [] }).close();
  const runs = journals.runs('acc_one').map(({ run }) => run);
  expect(runs).toHaveLength(100);
  expect(runs.at(-1)).toBe('r104');
  expect(journals.runs('acc_two')).toHaveLength(1);
});

it.each(['/proc/msgctl', '/dev/null/msgctl'])('reports that it cannot be written in %s', (place) => {
  const journals = new Journals(place, 'http://127.0.0.1:1', makeFolder);
  for (const take of [() => journals.nextRun(), () => journals.lockOf('acc_one')]) expect(take).toThrow(/^Cannot write the journal /);
});

it.each(['../../x', '..', '', 'a/b', 'a\\b', 'acc_one\n'])('refuses the account id %j, which could lead to another folder', (account) => {
  const journals = new Journals(join(folder, 'journal'), 'http://127.0.0.1:1', makeFolder);
  const head = { run: 'r1', at: '2027-03-01T12:00:00.000Z', account, undoes: null, rules: [] };
  const uses = [
    () => journals.begin(head),
    () => journals.lockOf(account),
    () => journals.runs(account),
    () => journals.last(account),
    () => journals.settle(account, 'r1', []),
    () => journals.end(account, 'r1'),
  ];
  for (const use of uses)
    expect(use).toThrow(expect.objectContaining({ name: 'UnexpectedAnswerError', message: expect.stringContaining('an invalid id') }));
  expect(readdirSync(folder)).toEqual([]);
});
