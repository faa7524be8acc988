import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellWord } from '../src/cli/command/shell-word.ts';

// A tour of the commands on the embedded service. Each command is printed before it runs. The tour runs in a temporary
// directory, which it removes at the end.

const program = fileURLToPath(new URL('../bin/msgctl.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'msgctl-demo-'));
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

/** Starts a webhook receiver in another process, because this one blocks while a command runs. */
async function startReceiver(): Promise<{ url: string; answer: (status: number) => Promise<void>; close: () => void }> {
  const code = `let status = 200;
    const server = require('node:http').createServer((request, response) => {
      if (request.method === 'PUT') status = Number(request.url.slice(1));
      request.resume().on('end', () => response.writeHead(request.method === 'PUT' ? 200 : status).end());
    });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${port.toString().trim()}`;
  return {
    url: `${url}/hook`,
    answer: async (status) => void (await fetch(`${url}/${status}`, { method: 'PUT' })),
    close: () => child.kill(),
  };
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
  receiver.close();

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

  title('Appointments: the free slots, a booking, a move, a cancellation');
  const availability = { tuesday: { start_time: '09:00', end_time: '12:00' }, thursday: { start_time: '14:00', end_time: '16:00' } };
  const hours = ['--availability', JSON.stringify(availability), '--timezone', 'Europe/Berlin', '--slot-minutes', '60'];
  msgctl(['events', 'create', 'Consultation', ...hours, '--quiet', '--fields', 'name,timezone,slot_minutes']);
  msgctl(['appointments', 'slots', 'Consultation', '--from', 'tomorrow', '--fields', 'slot,end,start_time']);
  const { slots } = JSON.parse(
    msgctl(['appointments', 'slots', 'Consultation', '--from', 'tomorrow', '-o', 'json'], { isSilent: true }),
  ) as { slots: { slot: string }[] };
  const [first = '', second = ''] = slots.map(({ slot }) => slot);
  const { appointment } = JSON.parse(
    msgctl(['appointments', 'book', '+14155550123', 'Consultation', first, '-o', 'json', '--fields', 'id,status,start_time']),
  ) as { appointment: { id: string } };
  msgctl(['appointments', 'book', '+14155550124', 'Consultation', first, '--quiet'], { expect: 6 });
  msgctl(['appointments', 'reschedule', appointment.id, second, '--fields', 'start_time,end_time']);
  msgctl(['appointments', 'export', '--format', 'ics']);
  msgctl(['appointments', 'cancel', appointment.id, '--reason', 'Ill']);

  title('Output for people, spreadsheets and scripts');
  msgctl(['lists', 'create', 'Spring campaign', '--quiet']);
  msgctl(['lists', 'list']);
  msgctl(['keys', 'list', '-o', 'csv']);
  msgctl(['tags', 'list', '--sub-account', sub_account.id, '-o', 'yaml']);

  say(`\nDone in ${((performance.now() - started) / 1000).toFixed(1)} s. Next: npx msgctl --help`);
} finally {
  rmSync(home, { recursive: true, force: true });
}
