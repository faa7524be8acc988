import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { detailsOf } from '../../src/cli/verb/fields.ts';
import { toCliError } from '../../src/cli/explain.ts';
import { listCommand } from '../../src/cli/verb/names.ts';
import { nouns } from '../../src/cli/nouns.ts';
import { notFoundText, type RecordName } from '../../src/contract/errors.ts';
import { ApiError } from '../../src/service/errors.ts';
import { Home } from '../support/terminal-world.ts';

it('a store that another process has locked is a service that is unavailable, and not a bug', () => {
  const message = 'The store is busy: another process is writing to it; try again';
  expect(toCliError(new ApiError(503, message))).toMatchObject({ exitCode: 9, code: 'service_unavailable', message });
});

const isOf = (what: string) => ({ error: what, error_code: 404 });

/** Another service, which answers every request with an error. */
describe('an error of a service', () => {
  let home: Home;
  let answer: { error: string; error_code: number | string; [field: string]: unknown };
  let requestId: string | undefined;
  const server = createServer((_request, response) => {
    if (requestId !== undefined) response.setHeader('X-Request-Id', requestId);
    response.statusCode = typeof answer.error_code === 'number' ? answer.error_code : 400;
    response.end(JSON.stringify({ success: false, ...answer }));
  });

  beforeEach(async () => {
    requestId = undefined;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    home = new Home();
    home.env = { MSGCTL_API_KEY: 'mk_x', MSGCTL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
  });

  afterEach(() => server.close());

  const id = 'tag_0123456789abcdef';

  it.each([
    ['a field', ['tags', 'create', 'x'], { error: 'name: must be shorter', error_code: 400 }, 1],
    ['fields', ['tags', 'create', 'x'], { error: "body: give 'name'", error_code: 400 }, 1],
    ['a missing record', ['tags', 'delete', id, '--yes'], isOf('Tag not found'), 5],
    [
      'a message that is refused',
      ['contacts', 'send', 'con_0123456789abcdef', 'Hi'],
      { error: 'The contact has do-not-disturb turned on', error_code: 422 },
      1,
    ],
    [
      'a variable',
      ['templates', 'send', 'tpl_0123456789abcdef', '+14155550123'],
      { error: "variables: no value for 'code', and no default", error_code: 400 },
      1,
    ],
  ])('without reason and field is shown as it is: %s', async (_what, argv, error, code) => {
    answer = error;
    expect(await home.run(...argv)).toMatchObject({ code, stderr: `Error: ${error.error}\n` });
  });

  it.each([
    [[], ['Error: Tag not found']],
    [['-v'], ['Error: Tag not found', 'Request: r1']],
    [['--verbose'], ['Error: Tag not found', 'Request: r1']],
    [['-qv'], ['Error: Tag not found', 'Request: r1']],
    [
      ['-vqo', 'table'],
      ['Error: Tag not found', 'Request: r1'],
    ],
    [['--', '-v'], ['Error: Tag not found']],
  ])('tells the id of its request with -v: %j', async (options, lines) => {
    answer = isOf('Tag not found');
    requestId = 'r1';
    const { stderr } = await home.run('tags', 'delete', id, '--yes', ...options);
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .filter((line) => !line.startsWith('Deleting')),
    ).toEqual(lines);
  });

  it.each([
    [['messages', 'search', 'refund'], 'The service does not have GET /messages'],
    [['tags', 'update', id, '--name', 'x'], 'There is no such record, or the service does not have PUT /tags/{id}'],
  ])('that does not say what was not found is told with what was called: %j', async (argv, sentence) => {
    answer = isOf('Not found');
    const { code, stderr } = await home.run(...argv);
    expect([code, stderr]).toEqual([5, expect.stringContaining(`Error: Not found\n${sentence}: it may be another version.`)]);
  });

  it('tells the id of its request in JSON, and in a trace', async () => {
    answer = isOf('Tag not found');
    requestId = 'r1';
    const json = async (...argv: string[]) => JSON.parse((await home.run(...argv, '-o', 'json')).stderr) as unknown;
    expect(await json('tags', 'delete', id, '--yes')).toMatchObject({ status: 404, request_id: 'r1' });
    expect(await json('tags', 'update', id, '--name', 'x')).toMatchObject({ status: 404, request_id: 'r1' });
    expect((await home.run('tags', 'delete', id, '--yes', '--debug')).stderr).toMatch(/-> 404 in \d+ ms, request r1\n[^]*Request: r1\n$/);
    requestId = undefined;
    expect(await json('tags', 'delete', id, '--yes')).not.toHaveProperty('request_id');
  });

  it.each([
    ['a field', ['tags', 'create', 'x'], { error: 'Too long', error_code: 400, field: 'name' }, "<name> 'x' Too long"],
    [
      'a field of a list',
      ['kb', 'import', 'https://a.example', 'https://b.example'],
      { error: 'No', error_code: 400, field: 'urls.1' },
      'The address https://b.example No',
    ],
    [
      'a missing record',
      ['tags', 'delete', id, '--yes'],
      { ...isOf('Nope'), reason: 'tag_not_found' },
      `There is no tag '${id}'\n\`msgctl tags list\` lists them.`,
    ],
    [
      'a variable',
      ['templates', 'send', 'tpl_0123456789abcdef', '+14155550123'],
      { error: 'Nope', error_code: 400, field: 'variables', reason: 'missing_variables', missing: ['code'] },
      'Nope\nGive it with --var code=…',
    ],
    [
      'a contact',
      ['contacts', 'send', 'con_0123456789abcdef', 'Hi'],
      { error: 'Nope', error_code: 422, reason: 'do_not_disturb' },
      'Nope\n`msgctl contacts update CONTACT --no-do-not-disturb`',
    ],
    [
      'a channel',
      ['contacts', 'send', 'con_0123456789abcdef', 'Hi'],
      { error: 'Nope', error_code: 400, reason: 'channel_not_connected', channel: 'sms' },
      'Nope\nOn a sandbox, `msgctl sandbox channels add sms',
    ],
    [
      'a scoped key',
      ['tags', 'list'],
      { error: 'Nope', error_code: 403, reason: 'sub_account_required' },
      'This key must name one of its sub-accounts with --sub-account',
    ],
  ])('has its hint by reason and field, in whatever words it is: %s', async (_what, argv, error, text) => {
    answer = error;
    expect((await home.run(...argv)).stderr).toContain(`Error: ${text}`);
  });

  it.each([
    ['webhooks', 'Webhook not found', "There is no webhook 'whk_0123456789abcdef'"],
    ['templates', 'Template not found', "There is no template 'tpl_0123456789abcdef'"],
  ])('is told by a published text when it has no reason: %s', async (noun, error, text) => {
    answer = isOf(error);
    const given = /'(.*)'/.exec(text)?.[1] ?? '';
    expect(await home.run(noun, 'get', given)).toMatchObject({ code: 5, stderr: expect.stringContaining(text) });
  });

  it('shows reason and field in JSON', async () => {
    answer = { error: 'Taken', error_code: 409, reason: 'name_taken', field: 'name' };
    const { stderr } = await home.run('tags', 'create', 'x', '-o', 'json');
    expect(JSON.parse(stderr)).toMatchObject({ code: 'conflict', status: 409, reason: 'name_taken', field: 'name' });
  });

  it('with a reason that is not known, or is no word, is shown as it is', async () => {
    for (const reason of ['constructor', '__proto__', 7, { a: 1 }]) {
      answer = { error: 'No', error_code: 422, reason, field: reason };
      expect(await home.run('tags', 'create', 'x')).toMatchObject({ code: 1, stderr: 'Error: No\n' });
    }
  });
});

it('lookups name a command that lists their records', async () => {
  const commands = new Set<string>();
  const listing = new Set<string>();
  for (const { load } of nouns) {
    const noun = await load();
    for (const { name, arguments: args = [], fields = [], options = [] } of noun.verbs) {
      commands.add(`msgctl ${noun.name} ${name}`.trim());
      for (const { lookup } of [...args, ...fields.map(detailsOf)]) if (lookup) listing.add(listCommand(lookup));
      for (const { completes } of options)
        if (typeof completes === 'object' && 'endpoint' in completes) listing.add(listCommand(completes));
    }
  }
  expect([...listing].filter((command) => !commands.has(command))).toEqual([]);
});

it('lookups have the names by which errors call their records', async () => {
  for (const { load } of nouns)
    for (const { arguments: args = [], fields = [] } of (await load()).verbs)
      for (const { lookup } of [...args, ...fields.map(detailsOf)])
        if (lookup) expect(notFoundText(lookup.record as RecordName), lookup.what).not.toContain('undefined');
});
