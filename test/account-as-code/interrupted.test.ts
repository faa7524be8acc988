import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Proxy } from '../support/proxy.ts';
import { type Files, RemoteAccount } from '../support/remote-account.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { isLongSweep } from '../support/sweeps.ts';
import { Home } from '../support/terminal-world.ts';

// The connection breaks at each write of an apply, before the request or before its answer arrives, and nothing more gets
// through, as if the process were killed there; or the user presses Ctrl-C there. Then the same command runs again.

let server: TestServer;
let proxy: Proxy;

beforeAll(async () => {
  server = await startServer();
  proxy = await Proxy.open(new URL(server.baseUrl).origin);
});

afterAll(async () => {
  await proxy.close();
  await server.close();
});

const webhook = (name: string, more: string) =>
  `  - { name: ${name}, url: "https://example.com/${name}", subscribed_to: [Replies]${more} }\n`;

const first: Files = {
  'account.yaml': 'prune: [tags, lists, faqs, rules, webhooks, defaults, templates, campaigns, agents, events]\n',
  'tags.yaml': 'tags: [{ name: VIP, description: one }, { name: cold }, { name: old }]\n',
  'lists.yaml': 'lists: [{ name: left }, { name: right }]\n',
  'events/visit.yaml': 'name: Visit\nslot_minutes: 20\n',
  'agents/a.yaml': 'name: A\ngoal: sell\nevents: [Visit]\ntags: [{ tag: VIP }]\n',
  'agents/b.yaml': 'name: B\nactive: false\n',
  'campaigns.yaml': 'campaigns: [{ name: Spring, agent: A, channel: chatapp }]\n',
  'faqs/spring.yaml': 'campaign: Spring\nfaqs: [{ question: "Where?", answer: Here }, { question: "When?", answer: Now }]\n',
  'templates/hello.en.yaml': 'name: hello\nlanguage: en\nbody: Hello\n',
  'webhooks.yaml': `webhooks:\n${webhook('one', '')}${webhook('two', ', signing: true')}`,
  'routing.yaml': `defaults: [{ channel: chatapp, agent: A }, { channel: sms, agent: null }]
rules:
  - { type: keyword, channels: [chatapp], keywords: [price], agent: A }
  - { type: keyword, channels: [chatapp, sms], keywords: [price, cost], agent: B }
`,
};

/** Renames, a swap, changes, deletions and another order of the rules. */
const second: Files = {
  ...first,
  'tags.yaml': 'tags: [{ name: VIP, description: two }, { name: fresh }, { name: chilled, was: cold }]\n',
  'lists.yaml': 'lists: [{ name: right, was: left }, { name: left, was: right }]\n',
  'agents/a.yaml': 'name: A2\nwas: A\ngoal: serve\nevents: [Visit]\ntags: [{ tag: fresh }]\n',
  'agents/b.yaml': 'name: B\nactive: true\n',
  'campaigns.yaml': 'campaigns: [{ name: Spring, agent: B, channel: chatapp }]\n',
  'faqs/spring.yaml': 'campaign: Spring\nfaqs: [{ question: "Where?", answer: There }, { question: "Who?", was: "When?", answer: Us }]\n',
  'templates/hello.en.yaml': 'name: hello\nlanguage: en\nbody: Hi\n',
  'webhooks.yaml': `webhooks:\n${webhook('two', ', signing: true, enabled: false')}`,
  'routing.yaml': `defaults: [{ channel: chatapp, agent: B }]
rules:
  - { type: keyword, channels: [chatapp, sms], keywords: [price, cost], agent: B }
  - { type: keyword, channels: [chatapp], keywords: [price], agent: A2 }
`,
};

/** Applies files while the connection breaks at a write. @returns whether that write was reached */
async function applyUntil(account: RemoteAccount, dying: number, fate: 'lost' | 'unanswered'): Promise<boolean> {
  let writes = 0;
  proxy.decide = (method) => {
    if (writes < dying && method !== 'GET') writes++;
    return writes < dying ? 'passes' : writes++ === dying ? fate : 'lost';
  };
  const { code } = await account.apply();
  proxy.decide = () => 'passes';
  const isReached = writes >= dying;
  expect(code).toBe(isReached ? 9 : 0);
  return isReached;
}

describe.each([
  ['that creates everything', [first]],
  ['that changes everything', [first, second]],
] as const)('an apply %s', (_, stages) => {
  const last = stages.at(-1) ?? first;
  const earlier = stages.slice(0, -1);

  async function prepared(): Promise<RemoteAccount> {
    const account = await RemoteAccount.make(server, proxy.origin);
    for (const files of earlier) {
      account.write(files);
      expect((await account.apply()).code).toBe(0);
    }
    account.write(last);
    return account;
  }

  it.each(['lost', 'unanswered'] as const)('reaches the same state with nothing written twice after a write that is %s', async (fate) => {
    const whole = await prepared();
    const before = await whole.dump();
    const made = await whole.apply();
    expect(made.stderr).toBe('');
    expect([made.code, made.json.changes.filter(({ result }: { result: string }) => result !== 'done')]).toEqual([0, []]);
    const end = await whole.dump();
    expect(end).not.toEqual(before);
    whole.remove();
    // Every fourth write in the long sweeps, with both fates every second one; otherwise one of each kind.
    const points = isLongSweep
      ? Array.from({ length: 250 }, (_, index) => 4 * index + (fate === 'lost' ? 1 : 3))
      : [fate === 'lost' ? 9 : 4];
    for (const dying of points) {
      const account = await prepared();
      const isReached = await applyUntil(account, dying, fate);
      if (!isReached) return account.remove();
      const again = await account.apply();
      expect([dying, again.code, again.stderr]).toEqual([dying, 0, '']);
      expect(await account.dump(), `after write ${dying}`).toEqual(end);
      expect((await account.apply()).json.changes).toEqual([]);
      // Both runs can be undone. The second one did nothing if only the last answer was lost.
      const { runs } = (await account.home.run('undo', 'list', '-o', 'json')).json as { runs: { run: string }[] };
      for (const { run } of runs.slice(0, runs.length - earlier.length)) {
        const undone = await account.home.run('undo', run, '--yes', '--secrets-out', `${account.home.path}/s`, '-o', 'json');
        const changes = undone.json.changes as { key: string; result: string; reason?: string }[];
        const open = changes
          .filter(({ result }) => result !== 'done' && result !== 'already')
          .map(({ key, reason }) => `${key}: ${reason ?? ''}`);
        expect([dying, run, undone.code, open]).toEqual([dying, run, 0, []]);
      }
      expect(await account.dump(), `undone after write ${dying}`).toEqual(before);
      account.remove();
    }
  });
});

it.each(['lost', 'unanswered'] as const)('an undo continues after one of its writes is %s', async (fate) => {
  const account = await RemoteAccount.make(server, proxy.origin);
  account.write(first);
  expect((await account.apply()).code).toBe(0);
  const before = await account.dump();
  account.write({
    ...first,
    'tags.yaml': 'tags: [{ name: VIP, description: two }, { name: fresh }]\n',
    'lists.yaml': 'lists: [{ name: left }]\n',
  });
  expect((await account.apply()).code).toBe(0);
  let writes = 0;
  proxy.decide = (method) => {
    if (method === 'GET') return writes < 3 ? 'passes' : 'lost';
    return ++writes < 3 ? 'passes' : writes === 3 ? fate : 'lost';
  };
  const undo = () => account.home.run('undo', '--yes', '-o', 'json');
  expect((await undo()).code).toBe(9);
  proxy.decide = () => 'passes';
  const again = await undo();
  expect([again.code, again.stderr]).toEqual([0, '']);
  expect(await account.dump()).toEqual(before);
  account.remove();
});

describe('Ctrl-C', () => {
  /** Interrupts the run at a write, which still succeeds. */
  function interruptAt(write: number, home: () => Home): void {
    let writes = 0;
    proxy.decide = (method) => {
      if (method !== 'GET' && ++writes === write) home().interrupt();
      return 'passes';
    };
  }

  it('lets an apply and an undo finish the current change, and says how to continue', async () => {
    const account = await RemoteAccount.make(server, proxy.origin);
    account.write({ 'account.yaml': '', 'tags.yaml': 'tags: [{ name: a }, { name: b }, { name: c }, { name: d }]\n' });
    const before = await account.dump();
    const words = ({ json }: { json: unknown }) => (json as { changes: { result: string }[] }).changes.map(({ result }) => result);
    interruptAt(3, () => account.home);
    const applied = await account.apply();
    expect([applied.code, words(applied)]).toEqual([130, ['done', 'done', 'done', 'skipped']]);
    expect(JSON.parse(applied.stderr)).toMatchObject({
      code: 'interrupted',
      message: 'Interrupted after 3 of 4 changes',
      hint: 'To make the other changes, run the same `msgctl apply` again. To undo the changes that were made, run `msgctl undo r1`.',
      run: 'r1',
      done: 3,
      changes: 4,
    });
    interruptAt(0, () => account.home);
    const again = await account.apply();
    expect([again.code, again.stderr, words(again)]).toEqual([0, '', ['done']]);
    expect((await account.home.run('undo', 'r2', '--yes')).code).toBe(0);
    interruptAt(2, () => account.home);
    const undone = await account.home.run('undo', 'r1', '--yes');
    expect([undone.code, undone.stdout]).toEqual([130, expect.stringContaining('skipped: the run was interrupted\n2 done, 1 skipped.\n')]);
    expect(undone.stderr).toBe(
      'Stopping after the current change. Press Ctrl-C again to stop at once.\n' +
        'Error: Interrupted after 2 of 3 changes\nTo make the other changes, run the same `msgctl undo` again.\n',
    );
    interruptAt(0, () => account.home);
    expect((await account.home.run('undo', '--yes')).code).toBe(0);
    expect(await account.dump()).toEqual(before);
    account.remove();
  });

  it('counts as one signal when repeated within half a second; a later one ends the run at once', async () => {
    const account = await RemoteAccount.make(server, proxy.origin);
    account.write({ 'tags.yaml': 'tags: [{ name: a }, { name: b }]\n' });
    const { home } = account;
    const during: boolean[] = [];
    home.onSleep = async () => void during.push(home.endsAtNextSignal);
    interruptAt(1, () => home);
    expect((await account.apply()).code).toBe(130);
    expect([home.waits, during, home.endsAtNextSignal]).toEqual([[500], [false], true]);
    account.remove();
  });

  it('ends a run over several accounts, and leaves the others alone', async () => {
    const home = new Home();
    home.env = { MSGCTL_API_KEY: server.apiKey, MSGCTL_BASE_URL: `${proxy.origin}/v1` };
    for (const name of ['A', 'B', 'C']) await home.run('accounts', 'create', name);
    const folder = `${home.path}/account`;
    expect((await home.run('dump', folder, '--sub-account', 'all')).code).toBe(0);
    for (const name of ['a', 'b', 'c']) writeFileSync(`${folder}/${name}/tags.yaml`, 'tags: [{ name: one }, { name: two }]\n');
    const apply = () => home.run('apply', folder, '--sub-account', 'all', '--yes');
    // Accounts are listed newest first, so the fourth write is the last change of B.
    interruptAt(4, () => home);
    const { code, stdout, stderr } = await apply();
    expect([code, stdout]).toEqual([130, expect.stringContaining('C: 2 of 2 done.\nB: 2 of 2 done.\nA: not started.\n')]);
    expect(stderr).toContain(
      'Error: Interrupted after 4 of 6 changes\n' +
        'To make the other changes, run the same `msgctl apply` again. To undo the changes that were made, run `msgctl undo r1 --sub-account all`.\n',
    );
    interruptAt(1, () => home);
    expect([(await apply()).code, (await home.run('undo', 'list', '--sub-account', 'A', '-o', 'json')).json.runs]).toMatchObject([
      130,
      [{ run: 'r2', changes: 1 }],
    ]);
    const all = await home.run('undo', 'list', '--sub-account', 'all', '--fields', 'sub_account,run,changes', '-o', 'csv');
    expect(all.stdout.split('\r\n')).toEqual(expect.arrayContaining(['A,r2,1', 'B,r1,2', 'C,r1,2']));
    home.remove();
  });
});
