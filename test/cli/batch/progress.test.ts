import { afterEach, beforeEach, expect, it } from 'vitest';
import { Home } from '../../support/terminal-world.ts';

let home: Home;

beforeEach(async () => {
  home = new Home();
  home.env = { MSGCTL_PROFILE: 'sandbox', LANG: 'C' };
  for (const name of ['Bakery', 'Florist']) await home.run('accounts', 'create', name);
});

afterEach(() => home.remove());

const create = ['tags', 'create', 'x', '--sub-account', 'all'];

it('a progress bar of a batch is shown on a terminal, and removed before the answers', async () => {
  const { code, stderr } = await home.runOnTerminal(80, ...create);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^\r\u001b\[K\[#{12}\.{12}\] {2}50 % {2}1 of 2 accounts, (Bakery|Florist)\r\u001b\[K/);
});

it('the progress bar fits into a narrow window', async () => {
  const { stderr } = await home.runOnTerminal(60, ...create);
  expect(stderr).toMatch(/^\r\u001b\[K\[#{5}\.{5}\] {2}50 % {2}1 of 2 accounts, (Bakery|Florist)\r\u001b\[K/);
  const narrow = await home.runOnTerminal(40, ...create, '--if-exists', 'skip');
  expect(narrow.stderr).toMatch(/^\r\u001b\[K\[#{5}\.{5}\] {2}50 % {2}1 of 2 a\.\.\.(, | )(Bakery|Florist)\r/);
});

it('no progress bar of a batch is shown in a pipe or with --quiet', async () => {
  expect((await home.run(...create)).stderr).not.toContain('of 2 accounts');
  expect((await home.runOnTerminal(80, ...create, '--if-exists', 'skip', '--quiet')).stderr).toBe('');
});
