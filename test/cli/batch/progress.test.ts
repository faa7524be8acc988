import { expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox', LANG: 'C' });

it.beforeEach(async ({ home }) => {
  for (const name of ['Bakery', 'Florist']) await home.run('accounts', 'create', name);
});

const create = ['tags', 'create', 'x', '--sub-account', 'all'];

it('a progress bar of a batch is shown on a terminal, and removed before the answers', async ({ home }) => {
  const { code, stderr } = await home.runOnTerminal(80, ...create);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^\r\u001b\[K\[#{12}\.{12}\] {2}50 % {2}1 of 2 accounts, (Bakery|Florist)\r\u001b\[K/);
});

it('the progress bar fits into a narrow window', async ({ home }) => {
  const { stderr } = await home.runOnTerminal(60, ...create);
  expect(stderr).toMatch(/^\r\u001b\[K\[#{5}\.{5}\] {2}50 % {2}1 of 2 accounts, (Bakery|Florist)\r\u001b\[K/);
  const narrow = await home.runOnTerminal(40, ...create, '--if-exists', 'skip');
  expect(narrow.stderr).toMatch(/^\r\u001b\[K\[#{5}\.{5}\] {2}50 % {2}1 of 2 a\.\.\.(, | )(Bakery|Florist)\r/);
});

it('no progress bar of a batch is shown in a pipe or with --quiet', async ({ home }) => {
  expect((await home.run(...create)).stderr).not.toContain('of 2 accounts');
  expect((await home.runOnTerminal(80, ...create, '--if-exists', 'skip', '--quiet')).stderr).toBe('');
});
