import { describe, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox', NO_COLOR: '1' });

/** An agency with a snapshot of a tag, an agent and a signing webhook, and clients. */
async function agency(home: Home, ...clients: readonly string[]): Promise<void> {
  // Waiting takes no time here, so that a command asks for the job often.
  const plan = '{"key_requests_per_minute": 1000000, "account_requests_per_minute": 1000000}';
  for (const argv of [
    ['sandbox', 'accounts', 'update', '--plan', plan],
    ['tags', 'create', 'VIP'],
    ['agents', 'create', 'Ada'],
    ['webhooks', 'create', 'https://example.com/x', '--name', 'Orders', '--events', 'Contact Created', '--generate-signing-secret'],
    ['snapshots', 'create', 'Standard'],
    ...clients.map((name) => ['accounts', 'create', name]),
  ]) {
    const { code, stderr } = await home.run(...argv);
    expect(code, `${argv.join(' ')}: ${stderr}`).toBe(0);
  }
}

describe('snapshots apply', () => {
  it('says whom it concerns and asks', async ({ home }) => {
    await agency(home, 'Client 1', 'Client 2');
    const asked = await home.run('snapshots', 'apply', 'Standard', 'Client*');
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain(
      "Apply the snapshot 'Standard' (3 records) to 2 accounts: Client 2, Client 1? Records of the same name stay as they are; nothing is deleted.",
    );
    expect((await home.run('tags', 'list', '--sub-account', 'Client 1', '-o', 'json')).json.tags).toEqual([]);
  });

  it('shows what was done on each account, and the commands that mend what needs attention', async ({ home }) => {
    await agency(home, 'Client 1', 'Client 2');
    const { code, stdout, stderr } = await home.runOnTerminal(80, 'snapshots', 'apply', 'Standard', 'Client*', '--yes');
    expect(code, stderr).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "┌──────────┬─────────────┬─────────┬─────────┬─────────┐
      │ ACCOUNT  │ STATUS      │ CREATED │ UPDATED │ SKIPPED │
      ├──────────┼─────────────┼─────────┼─────────┼─────────┤
      │ Client 2 │ ✓ completed │       3 │       0 │       0 │
      │ Client 1 │ ✓ completed │       3 │       0 │       0 │
      └──────────┴─────────────┴─────────┴─────────┴─────────┘

      ┌──────────┬──────────┬────────┬───────────────────────────────────────────────┐
      │ ACCOUNT  │ KIND     │ RECORD │ NEEDS ATTENTION                               │
      ├──────────┼──────────┼────────┼───────────────────────────────────────────────┤
      │ Client 2 │ webhooks │ Orders │ It arrived switched off, with a new signing   │
      │          │          │        │ secret: give that to its receiver, then       │
      │          │          │        │ enable it.                                    │
      │ Client 1 │ webhooks │ Orders │ It arrived switched off, with a new signing   │
      │          │          │        │ secret: give that to its receiver, then       │
      │          │          │        │ enable it.                                    │
      └──────────┴──────────┴────────┴───────────────────────────────────────────────┘
      "
    `);
    expect(stderr).toContain("To mend what needs attention:\nmsgctl webhooks secret show Orders --sub-account 'Client 2'\n");
    const again = await home.run('snapshots', 'apply', 'Standard', 'Client 1', '--yes', '-o', 'json');
    expect(again.json.accounts).toMatchObject([{ account: 'Client 1', created: 0, updated: 0, skipped: 3, needs_attention: [] }]);
  });

  it('exits with 8 if it failed on an account', async ({ home }) => {
    await agency(home, 'Client 1');
    await home.run('accounts', 'create', 'Small');
    const { id } = (await home.run('accounts', 'get', 'Small', '-o', 'json')).json.sub_account as { id: string };
    await home.run('sandbox', 'accounts', 'update', id, '--plan', '{"max_agents": 0}');
    const { code, stdout } = await home.run('snapshots', 'apply', 'Standard', 'Small', 'Client 1', '--yes', '-o', 'csv');
    expect(code).toBe(8);
    expect(stdout.split('\n')[1]).toMatch(/Small,failed,0,0,0,.*the plan allows 0 agents/);
  });

  it.for([
    [['Standard', 'own'], 2, 'A snapshot is applied to sub-accounts, not to the account of the agency'],
    [['Standard', 'Nobody'], 5, "There is no sub-account 'Nobody'"],
    [['Other', 'Client 1'], 5, "There is no snapshot 'Other'"],
    [['Standard', 'Client 1', '--on-conflict', 'replace'], 2, "--on-conflict 'replace' must be one of skip, update"],
  ] as const)('refuses %j', async ([words, exitCode, message], { home }) => {
    await agency(home, 'Client 1');
    const { code, stderr } = await home.run('snapshots', 'apply', ...words, '--yes');
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining(message)]);
  });
});
