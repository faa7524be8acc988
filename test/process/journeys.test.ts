import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { program, Workplace } from '../support/processes.ts';
import { Receiver } from '../support/receiver.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { cases } from '../support/sweeps.ts';
import { Home } from '../support/terminal-world.ts';
import { keys, Terminal } from '../support/terminal.ts';
import { it as base } from '../support/workplace-test.ts';

// What the kinds of users see in a real terminal. The snapshots are meant to be reviewed by a person.
let server: TestServer;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.open();
});

afterAll(() => receiver.close());

beforeEach(async () => {
  // Far from the present, tables show dates instead of ages, which would depend on the speed of the machine.
  server = await startServer({ clock: Date.parse('2099-01-01T12:00:00Z') });
});

afterEach(async () => {
  await server.close();
});

const env = (workplace: Workplace) => ({
  HOME: workplace.path,
  MSGCTL_BASE_URL: server.baseUrl,
  MSGCTL_API_KEY: server.apiKey,
  MSGCTL_SANDBOX_TOKEN: server.token,
  NO_COLOR: '1',
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  PAGER: 'cat',
});

/** Runs a shell line in a terminal. Returns the exit code and the output without parts that differ between runs. */
async function sees(workplace: Workplace, columns: number, line: string): Promise<string> {
  const terminal = new Terminal(line, env(workplace), columns);
  const code = await terminal.end();
  const text = terminal.text
    .replace(/\b([a-z]{3})_[\w-]{16}/g, '$1_0123456789abcdef')
    .replaceAll(`:${new URL(receiver.url()).port}/`, ':46000/')
    .replaceAll(new RegExp(`…\\d*${new URL(receiver.url()).port.slice(-4)}/`, 'g'), '…6000/')
    .replace(/\d{4}-\d\d-\d\d(\s+)\d\d:\d\d:\d\d/g, '2027-03-01$112:00:00')
    .replace(/\b(now|\d+ s ago)( *)/g, (all) => 'now'.padEnd(all.length))
    .replace(/\bin (\d+ s|1 min)( *)/g, (all) => 'soon'.padEnd(all.length))
    .replace(/^(.*)\r(?!\n)/gm, '')
    // A spinner appears when the machine is busy.
    .replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] Waiting for (http:\/\/127\.0\.0\.1:\d+|the embedded service)/gu, '');
  return `$ ${line}\n${text}(exit ${code})\n`;
}

/** What each of the commands prints does not matter: they run in this process, and prepare what is seen. */
const it = base.extend('prepare', ({}, { onCleanup }) => {
  const home = new Home();
  home.env = { MSGCTL_BASE_URL: server.baseUrl, MSGCTL_API_KEY: server.apiKey, MSGCTL_SANDBOX_TOKEN: server.token };
  onCleanup(() => home.remove());
  return async (...commands: string[][]) => {
    for (const words of commands) expect([words, await home.run(...words)]).toEqual([words, expect.objectContaining({ code: 0 })]);
  };
});

// The widths of tables have tests of their own, in process.
const widths = cases(1, [80, 60, 120]);

describe.each(widths)('at %i columns', (columns) => {
  it('an agency sees which clients need it, and fills up their credits', async ({ workplace, prepare }) => {
    for (const name of ['Bakery', 'Cafe', 'Deli', 'Florist']) await prepare(['accounts', 'create', name]);
    await prepare(
      ['accounts', 'transfer', 'Bakery', 'Deli', 'Florist', '--amount', '200', '--yes'],
      ['accounts', 'transfer', 'Cafe', '--amount', '40'],
      ['sandbox', 'channels', 'add', 'chatapp_web', '+14155550100', 'Deli'],
      ['sandbox', 'pairings', 'drop', '+14155550100', 'Deli'],
    );
    const seen = [
      await sees(workplace, columns, 'msgctl status --sub-account all'),
      await sees(workplace, columns, 'msgctl status --sub-account all --fail-on disconnected -q > /dev/null'),
      await sees(workplace, columns, 'msgctl channels status +14155550100 --sub-account Deli'),
      await sees(workplace, columns, 'msgctl accounts top-up --below 100 --to 200 --yes'),
    ];
    expect(seen.join('\n')).toMatchSnapshot();
  });

  it('support sees what a broadcast would do, and who did not get it', async ({ workplace, prepare }) => {
    await prepare(
      ['sandbox', 'channels', 'add', 'chatapp', '+14155550100'],
      ['contacts', 'create', '+14155550131', '--first-name', 'Ada'],
      ['contacts', 'create', '+14155550132', '--first-name', 'Ben'],
      ['contacts', 'update', 'Ben', '--do-not-disturb'],
      ['broadcasts', 'create', 'Spring offer', '--contacts', 'Ada,Ben', '--body', '10 % off'],
    );
    const seen = [
      await sees(workplace, columns, "msgctl broadcasts check 'Spring offer'"),
      await sees(
        workplace,
        columns,
        "msgctl broadcasts submit 'Spring offer' > /dev/null && msgctl broadcasts approve 'Spring offer' --yes > /dev/null",
      ),
      await sees(workplace, columns, "msgctl broadcasts wait 'Spring offer' > /dev/null"),
      await sees(workplace, columns, "msgctl broadcasts recipients 'Spring offer'"),
      await sees(
        workplace,
        columns,
        "msgctl broadcasts create Again --recipients-of 'Spring offer' --status failed --body '20 % off' -o csv --fields name,contact_count",
      ),
    ];
    expect(seen.join('\n')).toMatchSnapshot();
  });

  it('an admin changes client accounts', async ({ workplace, prepare }) => {
    for (const name of ['Client A', 'Client B', 'Other']) await prepare(['accounts', 'create', name]);
    await prepare(['tags', 'create', 'Seasonal', '--sub-account', 'Client A']);
    const seen = [
      await sees(workplace, columns, "msgctl tags create Seasonal --sub-account 'Client*'"),
      await sees(workplace, columns, 'msgctl batch list'),
      await sees(workplace, columns, "msgctl tags create Seasonal --sub-account 'Client*' --if-exists skip"),
      await sees(workplace, columns, "msgctl tags delete seasonal --sub-account 'Client*' --yes"),
      await sees(workplace, columns, 'msgctl status --sub-account all'),
      await sees(workplace, columns, 'msgctl accounts delete Nobody'),
    ];
    expect(seen.join('\n')).toMatchSnapshot();
  });

  it('support staff look into a broken receiver', async ({ workplace, prepare }) => {
    receiver.behaviour = (response) => response.writeHead(500).end('Fatal error: no database');
    const shop = ['--name', 'shop', '--events', 'Replies,Task Created', '--retries-enabled', '--generate-signing-secret'];
    await prepare(
      ['webhooks', 'create', receiver.url('/hook'), ...shop],
      ['sandbox', 'events', 'trigger', 'Replies'],
      ['sandbox', 'settle'],
    );
    const seen = [
      await sees(workplace, columns, 'msgctl webhooks list'),
      await sees(workplace, columns, 'msgctl webhooks health'),
      await sees(workplace, columns, 'msgctl webhooks doctor'),
      await sees(workplace, columns, 'msgctl webhooks dctor'),
    ];
    expect(seen.join('\n')).toMatchSnapshot();
  });
});

describe.each(widths)('with %i columns', (columns) => {
  it('support staff send what a receiver missed', async ({ workplace, prepare }) => {
    receiver.behaviour = 503;
    const trigger = ['sandbox', 'events', 'trigger', 'Replies'];
    await prepare(
      ['webhooks', 'create', receiver.url('/hook'), '--name', 'orders', '--events', 'Replies', '--retries-enabled'],
      ['webhooks', 'update', 'orders', '--no-retries-enabled'],
      trigger,
      ['sandbox', 'settle'],
      ['webhooks', 'disable', 'orders'],
      ...[trigger, trigger, trigger],
    );
    receiver.behaviour = 200;
    await prepare(['webhooks', 'enable', 'orders']);
    const since = '2099-01-01T11:00:00Z';
    const seen = [
      await sees(workplace, columns, 'msgctl webhooks deliveries orders'),
      await sees(workplace, columns, 'msgctl webhooks health orders'),
      await sees(workplace, columns, `msgctl webhooks replay orders --since ${since} --dry-run`),
      await sees(workplace, columns, `msgctl webhooks replay orders --since ${since}`),
      await sees(workplace, columns, 'msgctl webhooks deliveries orders --failed'),
      await sees(workplace, columns, `msgctl webhooks replay orders --since ${since}`),
    ].map((text) => text.replace(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, '2027-03-01T12:00:00.000Z'));
    expect(seen.join('\n')).toMatchSnapshot();
  });
});

describe.each(widths)('in %i columns', (columns) => {
  it('support staff look into a conversation, and follow it', async ({ workplace, prepare }) => {
    await prepare(
      ['sandbox', 'channels', 'add', 'chatapp', '+14155550100'],
      ['agents', 'create', 'Ada'],
      ['agents', 'activate', 'Ada'],
      ['campaigns', 'create', 'Support', '--agent', 'Ada'],
      ['routing', 'defaults', 'set', 'chatapp', 'Ada'],
      ['faqs', 'create', 'When are you open?', 'From nine to five.', '--campaign', 'Support'],
      ['sandbox', 'settle'],
      ['contacts', 'create', '+14155550131', '--first-name', 'Grace'],
    );
    const writing = ['sandbox', 'inbound', '+14155550131', 'When are you open?'];
    const inbound = "msgctl sandbox inbound +14155550131 'When are you open?'";
    const seen = [
      await sees(workplace, columns, `${inbound} 2> /dev/null`),
      await sees(workplace, columns, 'msgctl contacts messages Grace --why'),
      await sees(workplace, columns, 'msgctl contacts get Grace'),
      await sees(workplace, columns, 'msgctl messages search open'),
      await sees(workplace, columns, 'msgctl campaigns list'),
    ].map((text) => text.replace(/, \d+ ms\b/, '').replaceAll(/\b12:\d\d:\d\d\b/g, '12:00:00'));
    // Followed until the reader has enough.
    const following = new Terminal('msgctl contacts messages Grace --watch -o ndjson | head -1', env(workplace), columns);
    await following.waitFor('Ctrl-C');
    await prepare(writing);
    await following.waitFor('"event":"message"');
    // It notices at its next line that nobody reads.
    await prepare(writing);
    expect(await following.end()).toBe(0);
    expect(following.text).toMatch(/"event":"message".*"body":"When are you open\?"/);
    // And until Ctrl-C.
    const watching = new Terminal(['contacts', 'messages', 'Grace', '--watch'], env(workplace), columns);
    await watching.waitFor('Ctrl-C');
    await prepare(writing);
    await watching.waitFor('From nine to five.');
    watching.type(keys.interrupt);
    expect(await watching.end()).toBe(0);
    expect(seen.join('\n')).toMatchSnapshot();
  });

  it('an admin sees where the credits went', async ({ workplace, prepare }) => {
    await prepare(
      ['accounts', 'create', 'Bakery'],
      ['accounts', 'create', 'Cafe'],
      ['accounts', 'transfer', 'Bakery', '--amount', '100.5'],
      ['accounts', 'transfer', 'Bakery', '--amount', '-20'],
    );
    const seen = [
      await sees(workplace, columns, 'msgctl analytics credits'),
      await sees(workplace, columns, 'msgctl analytics credits --sub-account Bakery'),
      await sees(workplace, columns, 'msgctl analytics credits --sub-account Bakery -o csv --fields reason,credits,transfer_account_name'),
      await sees(workplace, columns, "msgctl status --sub-account all --fail-on 'balance<100' > /dev/null"),
    ];
    expect(seen.join('\n')).toMatchSnapshot();
  });
});

describe.each(widths)('a pipeline at %i columns', (columns) => {
  it('exports, selects and imports without a terminal in between', async ({ workplace }) => {
    const people = join(workplace.path, 'people.csv');
    writeFileSync(
      people,
      Buffer.from('sep=;\r\nMobile;First name;Surname\r\n(415) 555-0123;Zo\u00eb;M\u00fcller\r\n0415;x;y\r\n', 'latin1'),
    );
    const seen = [
      await sees(workplace, columns, `msgctl contacts import ${people} --country US --dry-run`),
      await sees(workplace, columns, `msgctl contacts import ${people} --country US -o json 2>/dev/null | cat`),
      await sees(
        workplace,
        columns,
        'msgctl contacts list --fields phone_number,first_name,last_name -o csv | msgctl contacts import - --on-duplicate update',
      ),
      await sees(workplace, columns, "msgctl contacts list --jq '.contacts[].first_name'"),
      await sees(workplace, columns, 'msgctl contacts list -o ndjson --fields first_name | head -1'),
      await sees(workplace, columns, 'msgctl contacts get +14155550199; msgctl tags list --limit none'),
    ].map((text) => text.replaceAll(workplace.path, '/home/me'));
    expect(seen.join('\n')).toMatchSnapshot();
  });

  it('tests the agents, and fails a step by its exit code', async ({ workplace, prepare }) => {
    await prepare(
      ['sandbox', 'channels', 'add', 'chatapp', '+14155550100'],
      ['agents', 'create', 'Ada'],
      ['campaigns', 'create', 'Support', '--agent', 'Ada'],
      ['routing', 'defaults', 'set', 'chatapp', 'Ada'],
      ['faqs', 'create', 'When are you open?', 'From nine to five.', '--campaign', 'Support'],
      ['sandbox', 'settle'],
    );
    writeFileSync(
      join(workplace.path, 'suite.yaml'),
      'cases:\n  - message: When are you open?\n    expect: { source: faq }\n  - message: When are you open?\n    expect: { text: six }\n',
    );
    const seen = [
      await sees(workplace, columns, 'cd && msgctl agents test suite.yaml'),
      await sees(workplace, columns, 'cd && msgctl agents test suite.yaml -o json | grep -c passed'),
      await sees(workplace, columns, "msgctl tags list --where 'name~V*' -o csv --no-header | wc -l"),
      await sees(workplace, columns, "msgctl status --fail-on 'balance<1000000' > /dev/null"),
    ];
    expect(seen.join('\n')).toMatchSnapshot();
  });
});

describe('a developer', () => {
  it('runs tests with a service of their own', async ({ workplace }) => {
    const test = 'msgctl tags create VIP --quiet >/dev/null; msgctl tags list --query "tags[].name" -o tsv; exit 3';
    const line = `msgctl serve --exec '${test.replaceAll('msgctl', `${process.execPath} ${program}`)}'`;
    const terminal = new Terminal(line, { HOME: workplace.path, NO_COLOR: '1' });
    expect(await terminal.end()).toBe(3);
    expect(terminal.text).toBe('VIP\n');
  });
});

describe.each(widths)('a developer at %i columns', (columns) => {
  it('looks a command up, tries it, and sees what it sends', async ({ workplace }) => {
    const seen = [
      await sees(workplace, columns, 'msgctl agents tst'),
      await sees(workplace, columns, 'msgctl tags create --help'),
      await sees(workplace, columns, 'msgctl tags create VIP --dry-run'),
      await sees(workplace, columns, 'msgctl tags create VIP --colour red'),
      await sees(workplace, columns, 'msgctl api GET /tags'),
    ].map((text) => text.replaceAll(server.baseUrl, 'http://127.0.0.1:8080/v1').replace(/msgctl\/[\d.]+/, 'msgctl/1.0.0'));
    expect(seen.join('\n')).toMatchSnapshot();
  });
});
