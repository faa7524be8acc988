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

it('of a batch is shown on a terminal, and removed before the answers', async () => {
  const { code, stderr } = await home.runOnTerminal(80, ...create);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^\r\u001b\[K\[#{12}\.{12}\] {2}50 % {2}1 of 2 accounts, (Bakery|Florist)\r\u001b\[K/);
});

it('of a batch is not shown to programs, and not with --quiet', async () => {
  expect((await home.run(...create)).stderr).not.toContain('of 2 accounts');
  expect((await home.runOnTerminal(80, ...create, '--if-exists', 'skip', '--quiet')).stderr).toBe('');
});
