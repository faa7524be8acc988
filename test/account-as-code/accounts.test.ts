import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { accountFolder } from '../support/account-folder.ts';
import { Home } from '../support/terminal-world.ts';

let home: Home;

beforeEach(() => {
  home = new Home();
});

afterEach(() => home.remove());

const { dir, file, read, diff, apply } = accountFolder(() => home);

describe('several accounts', () => {
  it('are dumped, compared and applied with one folder per account', async () => {
    const ids: string[] = [];
    for (const name of ['Nord', 'Süd', 'West'])
      ids.push((await home.sandbox('accounts', 'create', name, '-o', 'json')).json.sub_account.id as string);
    await home.sandbox('tags', 'create', 'VIP', '--sub-account', 'Nord');
    expect((await home.sandbox('dump', dir(), '--sub-account', 'all')).code).toBe(0);
    expect(read('nord/account.yaml')).toContain(`account: ${ids[0] ?? ''}`);
    expect(read('nord/tags.yaml')).toContain('VIP');
    expect((await diff('--sub-account', 'all')).code).toBe(0);
    for (const name of ['nord', 'süd']) file(`${name}/tags.yaml`, 'tags: [{ name: VIP }, { name: new }]\n');
    const planned = await diff('--sub-account', 'all');
    expect(planned.code).toBe(3);
    const { env } = home;
    home.env = { ...env, FORCE_COLOR: '1', MSGCTL_PROFILE: 'sandbox' };
    expect((await home.runOnTerminal(80, 'diff', dir(), '--sub-account', 'all')).stdout).toContain('\u001b[32m+ tag new\u001b[39m');
    home.env = env;
    expect((await diff('--sub-account', 'all', '--fields', 'sub_account,key')).stdout).toMatch(/Nord +new/);
    const applied = await apply('--sub-account', 'Nord,Süd', '--canary', '1');
    expect([applied.code, applied.stdout]).toEqual([0, expect.stringContaining('Nord: 1 of 1 done.')]);
    expect(applied.stderr).toContain("To undo this, run `msgctl undo r1 --profile sandbox --sub-account 'Nord,Süd'`.");
    for (const name of ['Nord', 'Süd'])
      expect((await home.sandbox('tags', 'list', '--sub-account', name, '-o', 'json')).json.tags).toHaveLength(2);
    expect((await home.sandbox('undo', '--sub-account', 'Nord', '--yes')).code).toBe(0);
    expect((await diff('--sub-account', 'all', '-o', 'json')).json.plans).toHaveLength(3);
  });

  it('are refused when none of them has a folder', async () => {
    await home.sandbox('accounts', 'create', 'Nord');
    file('nord/account.yaml', 'account: acc_of_nobody\n');
    for (const command of [() => apply('--sub-account', 'all'), () => diff('--sub-account', 'all')])
      expect(await command()).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(`${dir()} has no folder for any of these accounts`),
      });
  });

  /** Makes accounts, with a folder for each. */
  async function makeAccounts(...names: string[]): Promise<void> {
    for (const name of names) await home.sandbox('accounts', 'create', name);
    expect((await home.sandbox('dump', dir(), '--sub-account', 'all')).code).toBe(0);
  }

  const tagsOf = async (name: string) =>
    (await home.sandbox('tags', 'list', '--sub-account', name, '-o', 'json')).json.tags.map((tag: { name: string }) => tag.name).sort();

  it('are not mistaken for one account: naming their parent folder is a single error', async () => {
    await makeAccounts('A', 'B', 'C', 'D', 'E', 'F');
    file('a/tags.yaml', 'tags: [{ name: one }]\n');
    file('b/tags.yaml', 'tags: [{ name: one }]\n');
    for (const command of [() => apply(), () => diff(), () => home.sandbox('dump', dir())]) {
      const { code, stdout, stderr } = await command();
      expect([code, stdout, stderr]).toEqual([
        2,
        '',
        expect.stringMatching(
          /^Error: a\/account\.yaml:\d+:1: the folder that you named holds several accounts: a, b, c, d, e, f\. Name one of these folders, or use --sub-account all\n$/,
        ),
      ]);
    }
  });

  it('are skipped with a note when they have no folder, as is a folder of another account', async () => {
    await makeAccounts('A', 'B');
    await home.sandbox('accounts', 'create', 'C');
    file('typo/account.yaml', 'account: acc_zzz\n');
    const { code, stderr } = await diff('--sub-account', 'all');
    expect([code, stderr]).toEqual([0, expect.stringContaining('Skipped 1 account without a folder.')]);
    expect(stderr).toContain(`Skipped folders of other accounts: ${join(dir(), 'typo')}.`);
  });

  it('report mistakes with the folder that contains them', async () => {
    await makeAccounts('A', 'B');
    file('b/events/x.yaml', 'nam: x\n');
    const commands = ['diff', 'apply', 'dump'] as const;
    for (const command of commands) {
      const { code, stdout, stderr } = await home.sandbox(command, dir(), '--sub-account', 'all');
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^Error: b\/events\/x\.yaml:1:1: /m)]);
    }
    file('b/account.yaml', 'acount: x\naccount: acc_x\n');
    expect((await diff('--sub-account', 'all')).stderr).toContain('Error: b/account.yaml:1:1: ');
    file('b/account.yaml', 'acount: x\ntgas: []\n');
    expect((await diff('--sub-account', 'all')).stderr).toContain("b/account.yaml:1:1: unknown field 'acount'; did you mean 'account'?");
    const { stderr } = await home.sandbox('diff', join(dir(), 'b'));
    expect(stderr.match(/unknown field '(acount|tgas)'/g)).toHaveLength(2);
    expect(stderr).toContain("account.yaml:2:1: unknown field 'tgas'; did you mean 'tags'?");
  });

  it('continue after a canary that is unchanged or blocked, and stop after one that fails', async () => {
    await makeAccounts('A', 'B', 'C', 'D');
    // Accounts are listed newest first. A record of D is blocked, which does not count as a failed write.
    for (const _ of [1, 2]) await home.sandbox('lists', 'create', 'twin', '--sub-account', 'D');
    for (const name of ['b', 'c', 'd']) file(`${name}/tags.yaml`, 'tags: [{ name: new }]\n');
    file('d/lists.yaml', 'lists: [{ name: twin }]\n');
    expect((await apply('--sub-account', 'all', '--canary', '1')).code).toBe(6);
    expect([await tagsOf('B'), await tagsOf('C'), await tagsOf('D')]).toEqual([['new'], ['new'], ['new']]);
    for (const name of ['b', 'c', 'd']) file(`${name}/tags.yaml`, 'tags: [{ name: newer, was: new }]\n');
    await home.run('sandbox', 'faults', 'add', '--method', 'PUT', '--status', '400', '--times', '1');
    const failed = await apply('--sub-account', 'all', '--canary', '1', '--only', 'tags');
    expect([failed.code, failed.stderr]).toEqual([
      8,
      expect.stringContaining('A failure among the first 1 account ended the run: 2 accounts left.'),
    ]);
    expect([await tagsOf('B'), await tagsOf('C')]).toEqual([['new'], ['new']]);
  });

  it('share one --max-failures limit, which ends the run', async () => {
    await makeAccounts('A', 'B', 'C');
    for (const name of ['a', 'b', 'c']) file(`${name}/tags.yaml`, 'tags: [{ name: one }, { name: two }]\n');
    await home.run('sandbox', 'faults', 'add', '--method', 'POST', '--status', '400', '--times', '3');
    const { code, stderr, stdout } = await apply('--sub-account', 'all', '--max-failures', '3');
    expect([code, stderr]).toEqual([8, expect.stringContaining('The run ended after 3 failed writes: 1 account left.')]);
    expect(stdout).toContain('A: not started.');
    expect([await tagsOf('A'), await tagsOf('B'), await tagsOf('C')]).toEqual([[], [], []]);
  });

  it('cannot be rehearsed, which is reported before anything is read', async () => {
    await makeAccounts('A');
    const { code, stderr } = await apply('--sub-account', 'all', '--rehearse', '--debug');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--rehearse is for one account')]);
    expect(stderr).not.toContain('/users/me');
  });

  it('are undone together: undo skips accounts that are not part of the run', async () => {
    await makeAccounts('A', 'B', 'C');
    for (const name of ['a', 'b', 'c']) file(`${name}/tags.yaml`, 'tags: [{ name: one }]\n');
    expect((await apply('--sub-account', 'all')).code).toBe(0);
    for (const name of ['a', 'b']) file(`${name}/tags.yaml`, 'tags: [{ name: one }, { name: two }]\n');
    expect((await apply('--sub-account', 'all')).code).toBe(0);
    expect((await home.sandbox('undo', '--sub-account', 'all')).code).toBe(2);
    // Proves rule account-as-code.40
    const listed = await home.runOnTerminal(100, 'undo', 'list', '--profile', 'sandbox');
    expect([listed.stderr, listed.stdout]).toEqual(['', expect.stringMatching(/ r2 .* 2 .* 2 .* B, A .*\n.* r1 .* 3 .* 3 .* C, B, A /)]);
    expect((await home.sandbox('undo', 'list', '--sub-account', 'C', '-o', 'json')).json.runs).toMatchObject([
      { run: 'r1', accounts: 1, changes: 1, account_names: ['C'] },
    ]);
    const undone = await home.sandbox('undo', '--sub-account', 'all', '--yes');
    expect([undone.code, undone.stderr]).toEqual([0, expect.stringContaining('Skipped 1 account that took no part in the run r2.')]);
    expect([await tagsOf('A'), await tagsOf('B'), await tagsOf('C')]).toEqual([['one'], ['one'], ['one']]);
    expect((await home.sandbox('undo', 'r1', '--sub-account', 'all', '--yes', '-o', 'json')).json.plans).toHaveLength(3);
    expect([await tagsOf('A'), await tagsOf('C')]).toEqual([[], []]);
    const again = await home.sandbox('undo', 'r1', '--sub-account', 'all', '--yes');
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('r1 has already been undone: C, B, A.')]);
    expect((await home.sandbox('undo', 'r9', '--sub-account', 'all', '--yes')).code).toBe(5);
  });
});
