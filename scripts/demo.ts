import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellWord } from '../src/cli/output/shell-word.ts';
import { pdf } from '../test/support/pdf.ts';

// A tour of the commands on the embedded service. Each command is printed before it runs. The tour runs in a temporary
// directory, which it removes at the end.

const program = fileURLToPath(new URL('../bin/msgctl.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'msgctl-demo-'));
/** Ends the servers that the tour started. */
const closing: (() => void)[] = [];
const started = performance.now();

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function title(text: string): void {
  say(`\n# ${text}`);
}

/** Prints and runs a command, and prints its output. Returns its standard output. */
function msgctl(
  words: readonly string[],
  { expect = 0, env = {}, isSilent = false }: { expect?: number; env?: Record<string, string>; isSilent?: boolean } = {},
): string {
  const shown = words.map(shellWord).join(' ');
  const prefix = Object.keys(env).map((name) => `${name}=… `);
  if (!isSilent) say(`$ ${prefix.join('')}msgctl ${shown}`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    encoding: 'utf8',
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, MSGCTL_PROFILE: 'sandbox', ...env },
  });
  if (!isSilent) process.stdout.write(stdout + stderr);
  if (status !== expect) throw new Error(`The command exited with ${status} instead of ${expect}`);
  if (status !== 0) say(`(exit ${status})`);
  return stdout;
}

/** Starts a server in another process, because this one blocks while a command runs. @param code prints its port */
async function startServer(code: string): Promise<string> {
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  closing.push(() => child.kill());
  return `http://127.0.0.1:${port.toString().trim()}`;
}

/** Starts a website with a page of questions. */
async function startSite(): Promise<string> {
  const pages = {
    '/': '<title>Ferns</title><a href=/faq>Questions</a><a href=/login>Log in</a><h1>Ferns</h1><p>We grow ferns in Berlin.</p>',
    '/faq': '<title>Questions</title><h1>Questions</h1><h2>Do you ship abroad?</h2><p>Yes, to all of Europe.</p>',
    '/login': '<title>Log in</title><form></form>',
  };
  return await startServer(`const pages = ${JSON.stringify(pages)};
    const server = require('node:http').createServer(({ url }, response) => {
      response.writeHead(pages[url] ? 200 : 404, { 'content-type': 'text/html' }).end(pages[url]);
    });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`);
}

/** Starts a webhook receiver. */
async function startReceiver(): Promise<{ url: string; answer: (status: number) => Promise<void> }> {
  const code = `let status = 200;
    const server = require('node:http').createServer((request, response) => {
      if (request.method === 'PUT') status = Number(request.url.slice(1));
      request.resume().on('end', () => response.writeHead(request.method === 'PUT' ? 200 : status).end());
    });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const url = await startServer(code);
  return { url: `${url}/hook`, answer: async (status) => void (await fetch(`${url}/${status}`, { method: 'PUT' })) };
}

try {
  title('The first use creates the embedded service; its first account is an agency');
  msgctl(['whoami']);

  title('Create a sub-account and transfer credits to it');
  const { sub_account } = JSON.parse(msgctl(['accounts', 'create', 'Corner Bakery', '--email', 'hello@bakery.example', '-o', 'json'])) as {
    sub_account: { id: string };
  };
  msgctl(['accounts', 'transfer', sub_account.id, '--amount', '250']);
  msgctl(['accounts', 'list']);

  title('Rotate the main key; the profile stores the new one');
  msgctl(['keys', 'rotate', '--yes']);
  msgctl(['health']);

  title('A scoped key that can only read tags');
  const { api_key } = JSON.parse(
    msgctl(['keys', 'create', '--label', 'Reports', '--section', 'Tags', '--expires', '30d', '-o', 'json']),
  ) as {
    api_key: string;
  };
  msgctl(['tags', 'create', 'VIP', '--description', 'Buys often: answer first', '--sub-account', sub_account.id, '-o', 'json']);
  msgctl(['tags', 'create', 'Newsletter', '--quiet']);
  msgctl(['tags', 'list', '--quiet'], { env: { MSGCTL_API_KEY: api_key } });
  msgctl(['tags', 'create', 'Refused', '--quiet'], { env: { MSGCTL_API_KEY: api_key }, expect: 4 });
  msgctl(['lists', 'list', '--quiet'], { env: { MSGCTL_API_KEY: api_key }, expect: 4 });

  title('Subscribe a webhook receiver, diagnose a failure, fix it');
  const receiver = await startReceiver();
  msgctl([
    'webhooks',
    'create',
    receiver.url,
    '--name',
    'shop',
    '--events',
    'Replies,Task Created',
    '--generate-signing-secret',
    '--quiet',
  ]);
  msgctl(['webhooks', 'test', 'shop']);
  await receiver.answer(500);
  for (let count = 0; count < 10; count++) msgctl(['sandbox', 'events', 'trigger', 'Replies', '--quiet'], { isSilent: count > 0 });
  msgctl(['webhooks', 'health', '--fail-on', 'success<99%'], { expect: 3 });
  msgctl(['webhooks', 'doctor', 'shop', '--fields', 'check,status,fix'], { expect: 1 });
  await receiver.answer(200);
  msgctl(['webhooks', 'reenable', 'shop', '--quiet']);
  msgctl(['sandbox', 'events', 'trigger', 'Task Created', '--quiet']);
  msgctl(['webhooks', 'health']);

  title('Import contacts; invalid rows are reported and written to a file');
  const file = join(home, 'people.csv');
  writeFileSync(file, 'Phone;First name;Surname\n+14155550123;Ada;Lovelace\n0415;Bob;Nobody\n+14155550124;Grace;Hopper\n');
  msgctl(['contacts', 'import', 'people.csv', '--rejects', 'rejected.csv'], { expect: 8 });
  msgctl(['contacts', 'list']);

  title('Send a message; the contact replies, and a team member takes over');
  msgctl(['sandbox', 'channels', 'add', 'chatapp', '+14155550100', '--quiet']);
  const { contact_id: contact, message_id: message } = JSON.parse(
    msgctl(['contacts', 'send', '+14155550123', 'Your table is ready.', '-o', 'json']),
  ) as { contact_id: string; message_id: string };
  msgctl(['sandbox', 'receipt', message, 'read', '--quiet']);
  msgctl(['sandbox', 'inbound', '+14155550123', 'Thank you, on my way!']);
  msgctl(['sandbox', 'team-reply', contact, 'See you soon, Eve', '--quiet']);
  msgctl(['contacts', 'messages', contact]);
  msgctl(['credits', '--fields', 'balance']);

  title('An agent answers from its FAQs, says why, and hands over to people');
  msgctl(['agents', 'create', 'Ada', '--language', 'en', '--alert-human-when', 'speak to someone', '--quiet']);
  msgctl(['campaigns', 'create', 'Restaurant', '--agent', 'Ada', '--fields', 'id,name,agent_id']);
  msgctl(['faqs', 'create', 'Restaurant', 'When do you open?', 'At nine, every day but Sunday.', '--quiet']);
  msgctl(['faqs', 'create', 'Restaurant', 'What is on the menu?', 'Soup, pasta and cake.', '--quiet']);
  msgctl(['routing', 'rules', 'create', 'Ada', '--channels', 'chatapp', '--keywords', 'table,menu', '--quiet']);
  msgctl(['routing', 'map']);
  msgctl(['routing', 'explain', '--channel', 'chatapp', '--from', '+14155550125', '--text', 'Menu']);
  msgctl(['sandbox', 'inbound', '+14155550125', 'Menu', '--fields', 'decision.reason,reply.source,reply.body', '--quiet']);
  msgctl(['sandbox', 'inbound', '+14155550125', 'When do you open?', '--fields', 'reply.source,reply.body', '--quiet']);
  msgctl(['sandbox', 'inbound', '+14155550125', 'May I speak to someone?', '--fields', 'reply.source,reply.body', '--quiet']);
  msgctl(['sandbox', 'team-reply', '+14155550125', 'Eve here: how can I help?', '--quiet']);
  msgctl(['sandbox', 'inbound', '+14155550125', 'When do you open?', '--fields', 'decision.reason,reply.body', '--quiet']);
  msgctl(['contacts', 'resume', '+14155550125', '--fields', 'phone_number,paused']);
  msgctl(['sandbox', 'inbound', '+14155550125', 'When do you open?', '--fields', 'decision.reason,reply.body', '--quiet']);

  title('A website and a PDF become FAQs that an agent answers from');
  const site = await startSite();
  msgctl(['agents', 'create', 'Eve', '--quiet']);
  msgctl(['kb', 'discover', site, '--fields', 'score,recommendation,title']);
  msgctl(['kb', 'import', site, '--recommended', '--agent', 'Eve', '--wait', '--fields', 'ref,status,faq_count']);
  writeFileSync(
    join(home, 'care.pdf'),
    pdf([
      [
        { text: 'How often do I water a fern?', y: 780, size: 20 },
        { text: 'Once a week, and twice in summer.', y: 750 },
      ],
    ]),
  );
  msgctl(['kb', 'import', 'care.pdf', '--agent', 'Eve', '--wait', '--fields', 'ref,status,faq_count']);
  msgctl(['routing', 'defaults', 'set', 'sms', 'Eve', '--quiet']);
  msgctl(['sandbox', 'channels', 'add', 'sms', '+14155550111', '--quiet']);
  msgctl(['sandbox', 'inbound', '+14155550166', 'how often do I water my fern', '--channel', 'sms', '--fields', 'reply.source,reply.body']);
  msgctl(['kb', 'ask', 'Eve', 'Do you ship abroad?']);

  title('Send a broadcast');
  const { broadcast } = JSON.parse(
    msgctl([
      'broadcasts',
      'create',
      'Spring offer',
      '--contacts',
      contact,
      '--body',
      '10 % off this week',
      '-o',
      'json',
      '--fields',
      'id,status',
    ]),
  ) as { broadcast: { id: string } };
  msgctl(['broadcasts', 'submit', broadcast.id, '--fields', 'status']);
  msgctl(['broadcasts', 'approve', broadcast.id, '--yes', '--fields', 'status']);
  msgctl(['broadcasts', 'list']);

  title('A template is checked, submitted and approved; then it can be sent at any time');
  writeFileSync(join(home, 'order_ready.en.yaml'), 'name: order_ready\nlanguage: en\nbody: Hi {first_name}, order {{order}} is ready.\n');
  msgctl(['templates', 'lint', 'order_ready.en.yaml']);
  msgctl(['templates', 'create', '--input', 'order_ready.en.yaml', '--category', 'utility', '--quiet']);
  msgctl(['templates', 'submit', 'order_ready', '--quiet']);
  msgctl(['sandbox', 'review', 'order_ready', 'approved', '--quiet']);
  msgctl(['templates', 'send', 'order_ready', 'Ada Lovelace', '--dry-run'], { expect: 1 });
  msgctl(['templates', 'send', 'order_ready', 'Ada Lovelace', '--var', 'order=4711', '--dry-run']);
  msgctl(['templates', 'send', 'order_ready', 'Ada Lovelace', '--var', 'order=4711', '--quiet']);

  title('Appointments: the free slots, a booking, a move, a cancellation');
  const availability = { tuesday: { start_time: '09:00', end_time: '12:00' }, thursday: { start_time: '14:00', end_time: '16:00' } };
  const hours = ['--availability', JSON.stringify(availability), '--timezone', 'Europe/Berlin', '--slot-minutes', '60'];
  msgctl(['events', 'create', 'Consultation', ...hours, '--quiet', '--fields', 'name,timezone,slot_minutes']);
  msgctl(['appointments', 'slots', 'Consultation', '--from', 'tomorrow', '--fields', 'slot,end,start_time']);
  const columns = ['-o', 'tsv', '--no-header', '--fields', 'slot'];
  const slots = msgctl(['appointments', 'slots', 'Consultation', '--from', 'tomorrow', ...columns], { isSilent: true });
  const [first = '', second = ''] = slots.split('\n');
  const { appointment } = JSON.parse(
    msgctl(['appointments', 'book', '+14155550123', 'Consultation', first, '-o', 'json', '--fields', 'id,status,start_time']),
  ) as { appointment: { id: string } };
  msgctl(['appointments', 'book', '+14155550124', 'Consultation', first, '--quiet'], { expect: 6 });
  msgctl(['appointments', 'reschedule', appointment.id, second, '--fields', 'when,until,timezone']);
  msgctl(['appointments', 'export', '--format', 'ics']);
  msgctl(['appointments', 'cancel', appointment.id, '--reason', 'Ill']);

  title('The account as files: dump, an edit, diff, apply, undo');
  msgctl(['dump', 'account']);
  const agentFile = join(home, 'account', 'agents', 'eve.yaml');
  writeFileSync(agentFile, `${readFileSync(agentFile, 'utf8')}goal: Sell ferns\n`);
  msgctl(['diff', 'account'], { expect: 3 });
  msgctl(['apply', 'account', '--yes', '--quiet']);
  msgctl(['diff', 'account']);
  msgctl(['undo', '--yes', '--quiet']);

  title('A made-up history, and a series of it as a table, a chart and CSV');
  msgctl(['sandbox', 'demo', '--messages', '20000', '--days', '60', '--seed', '7']);
  const series = ['analytics', 'series', '--metrics', 'sent,replied', '--from', '28d'];
  msgctl([...series, '--granularity', 'week']);
  msgctl([...series, '--chart']);
  msgctl([...series, '--granularity', 'week', '--group-by', 'channel', '--pivot', '-o', 'csv']);

  title('Output for people, spreadsheets and scripts');
  msgctl(['lists', 'create', 'Spring campaign', '--quiet']);
  msgctl(['lists', 'list']);
  msgctl(['keys', 'list', '-o', 'csv']);
  msgctl(['tags', 'list', '--sub-account', sub_account.id, '-o', 'yaml']);

  say(`\nDone in ${((performance.now() - started) / 1000).toFixed(1)} s. Next: npx msgctl --help`);
} finally {
  for (const close of closing) close();
  rmSync(home, { recursive: true, force: true });
}
