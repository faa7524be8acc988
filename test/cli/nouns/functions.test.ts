import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import { Receiver } from '../../support/receiver.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base
  .extend('env', { MSGCTL_PROFILE: 'sandbox', NO_COLOR: '1', TOKEN: 'Bearer hidden-token' })
  .extend('receiver', async ({}, { onCleanup }) => {
    const receiver = await Receiver.open();
    receiver.behaviour = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"weather":"sunny"}');
    onCleanup(() => receiver.close());
    return receiver;
  });

const definition = (url: string) => `name: get_weather
url: ${url}
description: The weather
parameters:
  type: object
  required: [city]
  additionalProperties: false
  properties:
    city: { type: string }
    days: { type: integer, minimum: 1 }
    exact: { type: boolean }
`;

function write(home: Home, name: string, text: string): string {
  const file = join(home.path, name);
  writeFileSync(file, text);
  return file;
}

async function run(home: Home, ...argv: string[]) {
  const ran = await home.sandbox(...argv);
  expect([ran.code, ran.stderr.replace(/^.*created the store.*\n/i, '')]).toEqual([0, expect.any(String)]);
  return ran;
}

const create = async (home: Home, receiver: Receiver, ...argv: string[]) =>
  await run(home, 'functions', 'create', '--input', write(home, 'function.yaml', definition(receiver.url())), ...argv);

describe('functions create', () => {
  it('names the file, the line and the column of each problem, and sends nothing', async ({ home }) => {
    const text = definition('https://shop.example/')
      .replace('days: { type: integer, minimum: 1 }', 'days:\n      type: integer\n      pattern: x')
      .replace('The weather', '3');
    const file = write(home, 'function.yaml', `${text}method: PATCH\n`);
    const { code, stderr } = await home.sandbox('functions', 'create', '--input', file);
    expect(code).toBe(2);
    expect(stderr).toContain(`${file}:3:14: description: must be a string`);
    expect(stderr).toContain(`${file}:12:7: parameters.properties.days.pattern: is not supported`);
    expect(stderr).toContain(`${file}:14:9: method: must be one of POST, GET`);
    expect((await home.sandbox('functions', 'list', '-o', 'json')).json.custom_functions).toEqual([]);
  });

  it('checks JSON that is indented with tabs, and stdin', async ({ home }) => {
    home.stdin = '{\n\t"name": "a",\n\t"url": "https://shop.example/",\n\t"enabled": 1\n}\n';
    const { code, stderr } = await home.sandbox('functions', 'create', '--input', '-');
    expect([code, stderr]).toEqual([2, expect.stringContaining('<stdin>:4:13: enabled: must be true or false')]);
  });

  it('reads the values of headers from elsewhere, shows them nowhere, and refuses those on the command line', async ({
    home,
    receiver,
  }) => {
    const file = write(home, 'token.txt', 'hidden-file\n');
    const made = await create(home, receiver, '--header', `X-Key=@${file}`, '--header', 'Authorization=env:TOKEN', '--debug');
    expect(made.stdout + made.stderr).not.toMatch(/hidden/);
    await run(home, 'functions', 'test', 'get_weather', 'city=Berlin');
    expect(receiver.received[0]?.headers).toMatchObject({ authorization: 'Bearer hidden-token', 'x-key': 'hidden-file' });
    const shown = await home.sandbox('functions', 'update', 'get_weather', '--header', 'X-Key=env:TOKEN', '--dry-run');
    expect(shown.code).toBe(0);
    expect(shown.stdout + shown.stderr).not.toMatch(/hidden/);
    const { code, stderr } = await home.sandbox('functions', 'create', 'x', 'https://a.example/', '--header', 'Authorization=hidden');
    expect([code, stderr]).toEqual([2, expect.stringContaining('does not belong on the command line')]);
    expect(stderr).not.toMatch(/hidden/);
    const unset = await home.sandbox('functions', 'create', 'x', 'https://a.example/', '--header', 'Authorization=env:NONE');
    expect([unset.code, unset.stderr]).toEqual([2, expect.stringContaining('The value of the header Authorization is empty')]);
  });
});

describe('functions update', () => {
  it('sets and removes single headers, and keeps the others', async ({ home, receiver }) => {
    await create(home, receiver, '--header', 'Authorization=env:TOKEN', '--header', 'X-Old=env:TOKEN');
    const file = write(home, 'key.txt', 'new');
    await run(home, 'functions', 'update', 'get_weather', '--header', 'X-Old=', '--header', `x-new=@${file}`);
    await run(home, 'functions', 'test', 'get_weather', 'city=Berlin');
    expect(receiver.received[0]?.headers).toMatchObject({ authorization: 'Bearer hidden-token', 'x-new': 'new' });
    expect(receiver.received[0]?.headers).not.toHaveProperty('x-old');
  });

  it('finds a function whose name looks like an id', async ({ home }) => {
    await run(home, 'functions', 'create', 'book_appointment_slot', 'https://shop.example/');
    await run(home, 'functions', 'update', 'book_appointment_slot', '--description', 'x');
    await run(home, 'functions', 'delete', 'book_appointment_slot', '--yes');
    const { code, stderr } = await home.sandbox('functions', 'get', 'book_appointment_slot');
    expect([code, stderr]).toEqual([5, expect.stringContaining("There is no function 'book_appointment_slot'")]);
  });
});

describe('functions test', () => {
  it('says which argument a function without parameters does not have', async ({ home, receiver }) => {
    await run(home, 'functions', 'create', 'ping', receiver.url());
    const { code, stderr } = await home.sandbox('functions', 'test', 'ping', '--arguments', '{"a":1}');
    expect([code, stderr]).toEqual([2, expect.stringContaining('arguments.a: is not in the schema')]);
  });

  it('converts arguments by the schema, and shows what was sent, signed and answered', async ({ home, receiver }) => {
    await create(home, receiver);
    const { stdout } = await run(home, 'functions', 'test', 'get_weather', 'city=12', 'days=3', 'exact=true');
    const sent = { city: '12', days: 3, exact: true };
    expect(receiver.received[0]?.body).toMatchObject({ function: 'get_weather', arguments: sent, test: true });
    expect(stdout).toContain(`POST ${receiver.url()}`);
    expect(stdout).toContain('Not signed');
    const told = /With the headers (.*)\./.exec(stdout)?.[1]?.split(', ') ?? [];
    expect(receiver.received[0]?.spelled).toEqual(expect.arrayContaining(told));
    expect(told).toContain('X-Webhook-Event');
    expect(stdout).toContain('weather: sunny');
    const secret = (await run(home, 'functions', 'secret', 'rotate', 'get_weather', '--yes', '-o', 'json')).json.signing_secret as string;
    expect(secret).toMatch(/^whsec_/);
    const { json } = await run(home, 'functions', 'test', 'get_weather', '--arguments', '{"city":"Rome"}', 'days=1', '-o', 'json');
    const { call_id: id, ...body } = receiver.received[1]?.body;
    expect(id).toMatch(/./);
    expect(json).toMatchObject({ ok: true, status_code: 200, result: { weather: 'sunny' }, signed: true, sent: { method: 'POST', body } });
    expect(receiver.received[1]?.headers).toHaveProperty('x-webhook-signature');
  });

  it.for([
    [['days=3'], 'city'],
    [['city=Berlin', 'days=0'], 'arguments.days: must match the schema: 0 is less than 1'],
    [['city=Berlin', 'days=many'], "days 'many' must be a number"],
    [['city=Berlin', 'exact=maybe'], "exact 'maybe' must be true or false"],
    [['city=Berlin', 'unknown=1'], 'Its arguments are city (string, required), days (integer), exact (boolean).'],
    [['city=Berlin', 'city=Rome'], 'The argument city is given twice'],
    [['Berlin'], "'Berlin' is not an argument as KEY=VALUE"],
  ] as const)('refuses %j before it sends anything', async ([words, message], { home, receiver }) => {
    await create(home, receiver);
    const { code, stderr } = await home.sandbox('functions', 'test', 'get_weather', ...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(receiver.received).toEqual([]);
  });

  it('exits 1 when the call fails', async ({ home, receiver }) => {
    await create(home, receiver);
    receiver.behaviour = 503;
    const { code, stdout } = await home.sandbox('functions', 'test', 'get_weather', 'city=Berlin');
    expect([code, stdout]).toEqual([1, expect.stringContaining('Failed: status 503')]);
  });
});

describe('what an agent can do', () => {
  it('has functions and tool servers by name', async ({ home, receiver }) => {
    await create(home, receiver);
    await run(home, 'agents', 'create', 'Ada');
    await run(home, 'tool-servers', 'create', 'shop', receiver.url());
    await run(home, 'agents', 'functions', 'add', 'Ada', 'get_weather');
    await run(home, 'agents', 'tool-servers', 'add', 'Ada', 'shop');
    const listed = async (what: string) => (await run(home, 'agents', what, 'list', 'Ada')).stdout;
    expect(await listed('functions')).toContain('get_weather');
    expect(await listed('tool-servers')).toContain('shop');
    await run(home, 'agents', 'functions', 'remove', 'Ada', 'get_weather');
    await run(home, 'agents', 'tool-servers', 'remove', 'Ada', 'shop');
    expect((await listed('functions')) + (await listed('tool-servers'))).not.toMatch(/get_weather|shop/);
  });

  it('has media: a local file is uploaded, and taken away by its name', async ({ home }) => {
    await run(home, 'agents', 'create', 'Ada');
    const file = write(home, 'menu.gif', 'GIF89a');
    const { json } = await run(home, 'agents', 'media', 'add', 'Ada', file, '--description', 'The menu', '-o', 'json');
    expect(json.media).toMatchObject({ name: 'menu', description: 'The menu', mime_type: 'image/gif', bytes: 6 });
    expect((await home.sandbox('agents', 'media', 'remove', 'Ada', 'menu')).code).toBe(2);
    expect((await home.sandbox('agents', 'media', 'remove', 'Ada', 'menus')).stderr).toContain("Did you mean 'menu'?");
    await run(home, 'agents', 'media', 'remove', 'Ada', 'menu', '--yes');
    expect((await run(home, 'agents', 'media', 'list', 'Ada', '-o', 'json')).json.media).toEqual([]);
  });
});
