import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { stringify } from 'yaml';
import { readTemplates } from '../../../src/cli/nouns/templates/lint/document.ts';
import { it as base } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox' });

const run = (home: Home, ...argv: string[]) => home.run(...argv);
const templates = (home: Home, ...argv: string[]) => home.run('templates', ...argv);

/** Creates a template, and a contact on a connected channel. */
async function prepare(home: Home, body: string, ...argv: string[]): Promise<string> {
  await run(home, 'sandbox', 'clock', 'freeze');
  await run(home, 'sandbox', 'channels', 'add', 'chatapp', '+14155550100');
  await run(home, 'contacts', 'create', '+14155550123', '--first-name', 'Ada', '--last-name', 'Lovelace');
  const { json } = await templates(home, 'create', 'order_ready', body, '--language', 'en', ...argv, '-o', 'json');
  return json.template_id as string;
}

async function approve(home: Home): Promise<void> {
  await templates(home, 'submit', 'order_ready');
  expect((await run(home, 'sandbox', 'review', 'order_ready', 'approved')).code).toBe(0);
}

describe('templates', () => {
  it('are found by name, or by name and language when the name is ambiguous', async ({ home }) => {
    const id = await prepare(home, 'Hi');
    await templates(home, 'create', 'order_ready', 'Hallo', '--language', 'de');
    const { code, stderr } = await templates(home, 'get', 'order_ready');
    expect([code, stderr]).toEqual([2, expect.stringContaining("'order_ready' matches 2 templates")]);
    expect((await templates(home, 'get', 'order_ready.en', '-o', 'json')).json.template.id).toBe(id);
    expect((await templates(home, 'status', 'order_ready.de', '-o', 'json')).json.status).toBe('draft');
    expect((await templates(home, 'list', '-o', 'csv')).stdout).toMatch(/order_ready,draft,de,Hallo/);
  });

  it('are created from a file, updated, and deleted after confirmation', async ({ home }) => {
    writeFileSync(join(home.path, 't.yaml'), 'name: hello\nlanguage: en\nbody: "Hi {{first_name}}"\n');
    expect((await templates(home, 'create', '--input', join(home.path, 't.yaml'))).code).toBe(0);
    expect((await templates(home, 'update', 'hello', '--body', 'Hi [company|you]')).code).toBe(0);
    expect((await templates(home, 'get', 'hello', '-o', 'json')).json.template).toMatchObject({
      body: 'Hi {{company|you}}',
      variables: ['company'],
    });
    expect((await templates(home, 'delete', 'hello')).code).toBe(2);
    expect(await templates(home, 'delete', 'hello', '--yes')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The template was deleted here.'),
    });
    expect((await templates(home, 'list', '-o', 'json')).json).toEqual({ data: [] });
  });

  it('can open a campaign', async ({ home }) => {
    await run(home, 'campaigns', 'create', 'Spring', '--channel', 'chatapp');
    const { json } = await templates(home, 'opening', 'Spring', 'hello', 'Hi {{first_name|there}}', '--language', 'en', '-o', 'json');
    expect(json).toMatchObject({ campaign_status: 'received', template_sid: expect.any(String) });
    await run(home, 'campaigns', 'create', 'Text', '--channel', 'sms');
    const { stdout, stderr } = await templates(home, 'opening', 'Text', 'hello', 'Hi', '--language', 'en');
    expect(stdout).toMatch(/campaign_status +not_applicable/);
    expect(stderr).toContain('Nothing was created');
  });

  it('are refused with messages in terms of the command line', async ({ home }) => {
    const { code, stderr } = await templates(home, 'create', 'x', 'Hi {{a}}', '--language', 'en', '--variables', 'b');
    expect([code, stderr]).toEqual([2, "Error: --variables must have every variable of the body: 'a' is missing\n"]);
    expect((await templates(home, 'create', 'x', 'Hi', '--language', 'english')).stderr).toContain(
      "--language 'english' must be a supported language",
    );
    expect((await templates(home, 'create', 'x', 'Hi', '--language', 'en', '--category', 'promo')).code).toBe(2);
  });
});

describe('templates submit --wait', () => {
  const submit = async (home: Home, during: (pause: number) => unknown, ...argv: string[]) => {
    let pauses = 0;
    home.onSleep = async () => {
      home.now += 1_000;
      const { onSleep } = home;
      home.onSleep = async () => {};
      await during(++pauses);
      home.onSleep = onSleep;
    };
    const result = await templates(home, 'submit', 'order_ready', '--wait', ...argv);
    home.onSleep = async () => {};
    return result;
  };

  it('prints the status once the template is approved', async ({ home }) => {
    const id = await prepare(home, 'Hi');
    const { code, stdout } = await submit(home, (pause) => pause === 2 && run(home, 'sandbox', 'clock', 'advance', '60'), '-o', 'json');
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ template_id: id, name: 'order_ready', status: 'approved' })]);
  });

  it('exits 1 with the reason when it is rejected', async ({ home }) => {
    await prepare(home, 'Hi');
    const { code, stdout, stderr } = await submit(home, () =>
      run(home, 'sandbox', 'review', 'order_ready', 'rejected', '--reason', 'Too vague'),
    );
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain("Error: The template 'order_ready' is rejected: Too vague\n");
    expect(stderr).toContain('templates update');
  });

  it('exits 1 after the timeout while the review continues', async ({ home }) => {
    await prepare(home, 'Hi');
    const { code, stderr } = await submit(home, () => {}, '--timeout', '3s', '-o', 'json');
    expect([code, JSON.parse(stderr)]).toEqual([
      1,
      expect.objectContaining({ code: 'timeout', template: expect.objectContaining({ status: 'received' }) }),
    ]);
  });

  it('is required by --timeout', async ({ home }) => {
    await prepare(home, 'Hi');
    const { code, stderr } = await templates(home, 'submit', 'order_ready', '--timeout', '3s');
    expect([code, stderr]).toEqual([2, 'Error: --timeout requires --wait\nAdd --wait, or omit --timeout.\n']);
    expect((await templates(home, 'status', 'order_ready', '-o', 'json')).json.status).toBe('draft');
  });

  it('returns at once on a channel without a review', async ({ home }) => {
    await run(home, 'campaigns', 'create', 'Web', '--channel', 'chatapp_web');
    await prepare(home, 'Hi', '--campaign', 'Web');
    expect((await submit(home, () => expect.unreachable())).stdout).toMatch(/status +approved/);
  });
});

describe('templates preview', () => {
  it('shows sample values, and names missing variables', async ({ home }) => {
    await prepare(home, 'Hi {{first_name|there|uppercase}},\norder {{order}} of {{shop}} is ready.', '--category', 'utility');
    const { code, stdout } = await templates(home, 'preview', 'order_ready');
    expect([code, stdout]).toEqual([
      0,
      [
        'order_ready (en), utility, draft: with sample values',
        '',
        '  Hi ADA,',
        '  order {{order}} of {{shop}} is ready.',
        '',
        'Missing: order, shop. Give them with --var order=… --var shop=…',
        'It costs 1 credit in the US, Canada, the UK and the EU, 2 elsewhere.',
        '',
      ].join('\n'),
    ]);
  });

  it("shows a contact's own values and the price for its country", async ({ home }) => {
    const id = await prepare(home, 'Hi {{first_name}} of {{company|your company}}, {{order}}');
    const contact = (await run(home, 'contacts', 'create', '+41446681800', '--first-name', 'Urs', '-o', 'json')).json.contact.id as string;
    const { json } = await templates(home, 'preview', 'order_ready', '--contact', 'urs', '--var', 'order=a=b', '-o', 'json');
    expect(json).toEqual({
      template_id: id,
      name: 'order_ready',
      language: 'en',
      category: 'marketing',
      status: 'draft',
      contact_id: contact,
      text: 'Hi Urs of your company, a=b',
      preset: null,
      missing: [],
      credits: 4,
    });
    expect((await templates(home, 'preview', 'order_ready', '--contact', 'nobody')).code).toBe(5);
    expect((await templates(home, 'preview', 'order_ready', '--var', 'order')).stderr).toContain('must be <name>=<value>');
  });

  it('shows the preset wording of an authentication template', async ({ home }) => {
    await prepare(home, 'Psst, {{code}}', '--category', 'authentication');
    const { stdout } = await templates(home, 'preview', 'order_ready', '--var', 'code=123456');
    expect(stdout).toContain('  Psst, 123456\n');
    expect(stdout).toContain('  123456 is your verification code.\n');
  });
});

describe('templates send', () => {
  it('sends to a contact by name, and creates a contact for a number', async ({ home }) => {
    await prepare(home, 'Hi {{first_name}}, {{order|1}}');
    await approve(home);
    const { json } = await templates(home, 'send', 'order_ready', 'ada lovelace', '--var', 'order=2', '-o', 'json');
    expect(json).toEqual({ message_id: expect.any(String), contact_id: expect.any(String) });
    expect((await run(home, 'contacts', 'messages', '+14155550123', '-o', 'json')).json.messages[0].body).toBe('Hi Ada, 2');
    const sent = await templates(
      home,
      'send',
      'order_ready',
      '+14155550124',
      '--first-name',
      'Grace',
      '--variables',
      '{"order": 3}',
      '-o',
      'json',
    );
    expect(sent.code).toBe(0);
    expect((await run(home, 'contacts', 'messages', '+14155550124', '-o', 'json')).json.messages[0].body).toBe('Hi Grace, 3');
  });

  it('accepts a name with its language', async ({ home }) => {
    await prepare(home, 'Hi');
    await approve(home);
    await templates(home, 'create', 'order_ready', 'Hallo', '--language', 'de');
    await templates(home, 'submit', 'order_ready.de');
    const german = (await templates(home, 'get', 'order_ready.de', '-o', 'json')).json.template.id as string;
    await run(home, 'sandbox', 'review', german, 'approved');
    for (const [language, text] of [
      ['en', 'Hi'],
      ['de', 'Hallo'],
    ] as const) {
      expect((await templates(home, 'send', `order_ready.${language}`, '+14155550123', '--dry-run', '-o', 'json')).json.text).toBe(text);
      expect((await templates(home, 'send', `order_ready.${language}`, '+14155550123')).code).toBe(0);
      expect((await run(home, 'contacts', 'messages', '+14155550123', '-o', 'json')).json.messages[0].body).toBe(text);
    }
    expect((await templates(home, 'send', 'order_ready.fr', '+14155550123')).code).toBe(5);
  });

  // Proves rule config.7.
  it('shows the price to a number of the default country, as it is sent', async ({ home }) => {
    await prepare(home, 'Hi');
    await approve(home);
    const sending = async (...more: string[]) => await templates(home, 'send', 'order_ready', '0171 1234567', ...more);
    expect((await sending('--dry-run')).code).toBe(5);
    await run(home, 'config', 'set', 'default_country=DE');
    expect((await sending('--dry-run', '-o', 'json')).json).toMatchObject({ phone_number: '+491711234567', country: 'DE' });
    expect((await sending()).code).toBe(0);
    expect((await run(home, 'contacts', 'list', '--fields', 'phone_number', '-o', 'tsv')).stdout).toContain('+491711234567');
  });

  it('refuses a variable that the template does not have', async ({ home }) => {
    await prepare(home, 'Hi {{order|1}}');
    await approve(home);
    for (const argv of [
      ['send', 'order_ready', '+14155550123'],
      ['send', 'order_ready', '+14155550123', '--dry-run'],
      ['preview', 'order_ready'],
    ]) {
      const { code, stderr } = await templates(home, ...argv, '--var', 'oder=2');
      expect([code, stderr]).toEqual([2, 'Error: --var oder: the template order_ready has no such variable\nIts variables: order.\n']);
    }
    expect((await run(home, 'contacts', 'messages', '+14155550123', '-o', 'json')).json.messages).toEqual([]);
  });

  it('says how to give missing variables', async ({ home }) => {
    await prepare(home, '{{order}} {{shop}}');
    await approve(home);
    const { code, stderr } = await templates(home, 'send', 'order_ready', '+14155550123');
    expect([code, stderr]).toEqual([
      1,
      "Error: No value for 'order', 'shop', and no default\nGive them with --var order=… --var shop=…; --dry-run shows the message.\n",
    ]);
  });

  it('shows the text and the price in a dry run, and sends nothing', async ({ home }) => {
    await prepare(home, 'Hi {{first_name}}, {{order}}');
    await approve(home);
    const { code, stdout } = await templates(home, 'send', 'order_ready', 'Ada Lovelace', '--var', 'order=2', '--dry-run');
    expect([code, stdout]).toEqual([
      0,
      'order_ready (en), marketing, to Ada Lovelace in US\n\n  Hi Ada, 2\n\nIt costs 2 credits of a balance of 1,000. Nothing was sent.\n',
    ]);
    const far = await templates(
      home,
      'send',
      'order_ready',
      '+41 44 668 18 00',
      '--first-name',
      'Urs',
      '--var',
      'order=2',
      '--dry-run',
      '-o',
      'json',
    );
    expect(far.json).toMatchObject({
      contact_id: null,
      country: 'CH',
      credits: 4,
      balance: 1000,
      text: 'Hi Urs, 2',
      missing: [],
      problems: [],
    });
    expect((await run(home, 'contacts', 'list', '-o', 'json')).json.contacts).toHaveLength(1);
    expect((await run(home, 'contacts', 'messages', '+14155550123', '-o', 'json')).json.messages).toEqual([]);
    expect((await run(home, 'credits', '-o', 'json')).json.balance).toBe(1000);
  });

  it('reads the template once in a dry run', async ({ home }) => {
    await prepare(home, 'Hi {{first_name}}, {{order}}');
    await approve(home);
    const { stderr } = await templates(home, 'send', 'order_ready', 'Ada Lovelace', '--var', 'order=2', '--dry-run', '--debug');
    expect(stderr.match(/^GET \S*\/tpl_/gm)).toHaveLength(1);
  });

  it('shows the price for several accounts and in chosen fields', async ({ home }) => {
    await prepare(home, 'Hi {{first_name}}');
    await approve(home);
    const one = ['send', 'order_ready', 'Ada Lovelace', '--dry-run'];
    expect((await templates(home, ...one, '--fields', 'to,credits')).stdout).toBe('to       Ada Lovelace\ncredits  2\n');
    await run(home, 'accounts', 'create', 'Bakery');
    const all = ['--sub-account', 'all', '--yes'];
    await templates(home, 'create', 'order_ready', 'Hi', '--language', 'en', ...all);
    const { code, stdout } = await templates(home, 'send', 'order_ready', '+14155550123', '--dry-run', '--sub-account', 'all');
    expect([code, stdout]).toEqual([1, expect.stringMatching(/Bakery +\+14155550123, a new contact +2 +0 /)]);
  });

  it('exits 1 in a dry run, and lists everything that the service would refuse', async ({ home }) => {
    await prepare(home, '{{code}} {{order}}', '--category', 'marketing');
    await run(home, 'sandbox', 'accounts', 'update', '--credits', '1');
    await run(home, 'contacts', 'update', '+14155550123', '--do-not-disturb');
    const { code, json } = await templates(home, 'send', 'order_ready', '+14155550123', '--dry-run', '-o', 'json');
    expect([code, json.problems]).toEqual([
      1,
      [
        'The template is a draft: only an approved one can be sent.',
        'The contact has do-not-disturb turned on.',
        'Missing: code, order. Give them with --var code=… --var order=…',
        'The balance of 1 credit is too small.',
      ],
    ]);
    expect((await templates(home, 'send', 'order_ready', '+14155550123', '--dry-run')).stdout).toContain(
      'It would cost 2 credits of a balance of 1.',
    );
    expect((await templates(home, 'send', 'nothing', '+14155550123', '--dry-run')).code).toBe(5);
    expect((await templates(home, 'send', 'order_ready', '+1', '--dry-run')).code).toBe(2);
  });
});

it('a dry run of a send reports that no channel is connected and that the contact has no number', async ({ home }) => {
  await templates(home, 'create', 'hello', 'Hi', '--language', 'en');
  await run(home, 'contacts', 'create', '--channel', 'chat_widget', '--identity', 'ada', '--first-name', 'Ada');
  const { code, json } = await templates(home, 'send', 'hello', 'Ada', '--dry-run', '-o', 'json');
  expect([code, json.problems]).toEqual([
    1,
    [
      'The template is a draft: only an approved one can be sent.',
      'The contact cannot be reached on chatapp: it has no phone number.',
      'No chatapp channel is connected.',
    ],
  ]);
});

it('a broadcast accepts a template by name, and shows its text before it is approved', async ({ home }) => {
  await prepare(home, 'Hi {{first_name}}');
  await approve(home);
  const contacts = ['--contacts', '+14155550123'];
  const { json } = await run(home, 'broadcasts', 'create', 'Spring', '--template', 'order_ready', ...contacts, '-o', 'json');
  expect(json.broadcast).toMatchObject({ body: null, template_id: expect.stringMatching(/^tpl_/) });
  await run(home, 'broadcasts', 'submit', 'Spring');
  const { code, stderr } = await run(home, 'broadcasts', 'approve', 'Spring');
  expect([code, stderr]).toEqual([2, expect.stringContaining('to 1 contact now? "Hi {{first_name}}"')]);
  expect((await run(home, 'broadcasts', 'approve', 'Spring', '--yes')).code).toBe(0);
  expect((await run(home, 'contacts', 'messages', '+14155550123', '-o', 'json')).json.messages[0].body).toBe('Hi Ada');
});

describe('provider-templates', () => {
  it('are created, listed, imported and deleted', async ({ home }) => {
    await run(home, 'sandbox', 'accounts', 'update', '--template-provider', 'own_account');
    expect(
      (await run(home, 'provider-templates', 'create', 'hello', 'Hi {{first_name}}', '--language', 'en', '--footer', 'Bye')).code,
    ).toBe(0);
    expect((await run(home, 'provider-templates', 'list', '--name', 'hello', '-o', 'json')).json.templates).toHaveLength(1);
    expect((await templates(home, 'sync', '-o', 'json')).json).toMatchObject({ imported: 1, updated: 0, total: 1 });
    expect((await templates(home, 'provider')).stdout).toMatch(/provider +own_account/);
    expect((await run(home, 'provider-templates', 'delete', 'hello')).stderr).toContain('in every language');
    expect((await run(home, 'provider-templates', 'delete', 'hello', '--yes')).code).toBe(0);
    expect((await run(home, 'provider-templates', 'list', '-o', 'json')).json.templates).toEqual([]);
  });
});

describe('templates lint', () => {
  const write = (home: Home, name: string, text: string): string => {
    const path = join(home.path, name);
    mkdirSync(join(home.path, 'templates'), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  const good = 'name: order_ready\nlanguage: en\nbody: Hi {{first_name|there}}, it is ready.\n';

  /** The problems of a file without the file name. */
  const problemsOf = async (home: Home, text: string, name = 'x.yaml') => {
    const path = write(home, name, text);
    const { code, stdout } = await templates(home, 'lint', path);
    expect(code).toBe(stdout === '' ? 0 : 1);
    return stdout.replaceAll(`${path}:`, '').split('\n').slice(0, -1);
  };

  it('needs no account and no key', async ({ home }) => {
    home.env = {};
    const { code, stdout, stderr } = await templates(
      home,
      'lint',
      write(home, 'a.yaml', good),
      write(home, 'b.json', '{"name": "a", "language": "pt_BR", "body": "Oi"}'),
    );
    expect([code, stdout, stderr]).toEqual([0, '', 'No problems in 2 templates.\n']);
  });

  it('reads stdin, and finds no problems in an account file', async ({ home }) => {
    home.stdin = [
      'templates:',
      '  - { name: a, language: en, body: "Hi ${brand} {{first_name}}!", submit: true, was: b }',
      '  - { name: c, language: de, absent: true }',
      '  - name: d',
      '    language: en',
      '    body: !file d.txt',
      '    variables: [x]',
      'tags: [{ name: VIP }]',
    ].join('\n');
    const { code, json } = await templates(home, 'lint', '-', '-o', 'json');
    expect([code, json]).toEqual([0, { problems: [], templates: 3 }]);
  });

  it.for([
    ['name: a\nlanguage: en\n', ['1:1: body: is required']],
    [`${good}category: promo\n`, ['4:11: category: must be one of marketing, utility, authentication, authentication-international']],
    [good.replace('en', 'english'), ['2:11: language: must be a supported language, such as en or pt_BR']],
    [
      good.replace('language', 'langage'),
      ['1:1: language: is required', '2:1: langage: is not a field of a template; did you mean language?'],
    ],
    [`${good}type: 7\n`, ['4:7: type: must be one of general, smart_followup']],
    [
      `${good}submit: false\nwas: 5\nabsent: maybe\n`,
      ['4:9: submit: must be true', '5:6: was: must be a string', '6:9: absent: must be true'],
    ],
    [
      `${good}tags: [x]\n`,
      ['4:1: tags: is a kind of record, not a field of a template: list the templates of the file below `templates:`'],
    ],
    [
      `${good}submit: !never true\n`,
      ['4:9: the tag is unknown, or does not fit the value: a text that begins with ! needs quotation marks'],
    ],
    [`${good}variables: [first_name, x]\n`, ["4:12: variables: must be in the body: 'x' is not"]],
    [`${good}type: smart_followup\n`, ["3:7: body: a smart follow-up must use 'personal_context'"]],
    [
      'name: a\nlanguage: en\ncategory: authentication\nbody: Hello\n',
      ['4:7: body: must have exactly one variable in the category authentication, such as {{code}}'],
    ],
    ['name: a\nlanguage: en\nbody: ""\n', ['3:7: body: must not be empty']],
    [`name: a\nlanguage: en\nbody: ${'x'.repeat(1_030)}\n`, ['3:1031: body: must be at most 1024 characters, and has 1030']],
    [
      'name: a\nlanguage: en\nbody: Hi {{first name}} and {{b\n',
      [
        "3:10: body: '{{first name}}' is not a placeholder, so it is sent literally: a name has letters, digits and underscores",
        "3:29: body: '{{b' is not closed, so it is sent literally",
      ],
    ],
    [
      'name: a\nlanguage: en\nbody: "Hi {{a|shout|uppercase}}: {{b|x|y}} {{c|Uppercase}}."\n',
      [
        "3:34: body: 'y' is not a transform; use one of uppercase, lowercase, capitalize",
        "3:44: body: 'Uppercase' is not a transform; use one of uppercase, lowercase, capitalize",
        "3:44: body: '{{c|Uppercase}}' follows another variable, which reviewers reject: put a word between them",
      ],
    ],
    [
      'name: a\nlanguage: en\nbody: |\n  Hi\n\n    {{a b}}\n',
      ["6:5: body: '{{a b}}' is not a placeholder, so it is sent literally: a name has letters, digits and underscores"],
    ],
    ['name: a\nlanguage: en\nbody: >\n  Hi\n  }} there\n', ["3:7: body: '}}' has no matching {{, so it is sent literally"]],
    ['name: [\n', [expect.stringMatching(/^\d:\d+: .+/)]],
    ['name: a\nname: b\n', ['2:1: the object has this key twice']],
    [`${good}---\nname: b\n`, ['4:1: a second YAML document begins: there can be only one']],
    ['[[[[[[', [expect.stringMatching(/^\d:\d+: .+/)]],
    [
      '\uFEFFname: a\r\nlanguage: en\r\nbody: |\r\n  Hi {{a b}}\r\n',
      ["4:6: body: '{{a b}}' is not a placeholder, so it is sent literally: a name has letters, digits and underscores"],
    ],
    ['- name: a\n', ['1:1: must be a template, or a map with templates']],
    ['', ['1:1: must be a template, or a map with templates']],
    ['templates: 3\n', ['1:12: templates: must be a list']],
    ['templates:\n  - 3\n', ['2:5: must be a template']],
    [
      '{"name": "a",\n "language": "xx",\n "body": "Hi {{b c}}"}',
      [
        '2:14: language: must be a supported language, such as en or pt_BR',
        "3:14: body: '{{b c}}' is not a placeholder, so it is sent literally: a name has letters, digits and underscores",
      ],
    ],
  ] as const)('%j', async ([text, problems], { home }) => {
    expect(await problemsOf(home, text)).toEqual(problems);
  });

  const text = (body: string, category = 'utility') => `name: a\nlanguage: en\ncategory: ${category}\nbody: ${JSON.stringify(body)}\n`;

  it.for([
    ['Hello {{1}}, your order {{2}} is ready.', []],
    ['Hi {{first_name|there}}: {{order_1}}.', []],
    ['{{1}} your order is ready', ["1: '{{1}}' begins the text, which reviewers reject: put a word before it"]],
    [' \n{name}, hello', ["0: '{name}' begins the text, which reviewers reject: put a word before it"]],
    ['Your code is {{1}} ', ["14: '{{1}}' ends the text, which reviewers reject: put a word after it"]],
    [
      '[name]',
      [
        "1: '[name]' begins the text, which reviewers reject: put a word before it",
        "1: '[name]' ends the text, which reviewers reject: put a word after it",
      ],
    ],
    [
      'Hello {{1}}{{2}}, your order {{3}} {{4}} is ready.',
      [
        "12: '{{2}}' follows another variable, which reviewers reject: put a word between them",
        "36: '{{4}}' follows another variable, which reviewers reject: put a word between them",
      ],
    ],
    ['Hello {{1}}, your order {{3}} is {{5}}.', ["25: '{{3}}' is rejected by reviewers without {{2}}: numbers have no gaps"]],
    ['Hello {{2}}, it is ready.', ["7: '{{2}}' is rejected by reviewers without {{1}}: numbers have no gaps"]],
    ['Hello {{2}}, your order {{1}} is ready, {{2}}.', []],
    [
      'Hello {{0}}, your order {{01}} is ready.',
      ["7: '{{0}}' is rejected by reviewers: numbers begin at {{1}}", "25: '{{01}}' is rejected by reviewers: write {{1}}"],
    ],
    [
      'Hello {{FirstName}} of {{größe}}.',
      [
        "7: '{{FirstName}}' is rejected by reviewers: a name has lowercase letters a to z, digits and underscores: write {{first_name}}",
        "24: '{{größe}}' is rejected by reviewers: a name has lowercase letters a to z, digits and underscores",
      ],
    ],
    ['Hello {{1}} of {{company}}.', ["16: '{{company}}' is rejected by reviewers beside the others: use numbers or names, not both"]],
    [
      'Hello {1}, {{2} and 3}} and {{}}.',
      [
        "7: '{1}' is not a placeholder, so it is sent literally: a number has two braces",
        "12: '{{2}' is not closed, so it is sent literally",
        "22: '}}' has no matching {{, so it is sent literally",
        "29: '{{}}' is not a placeholder, so it is sent literally: a name has letters, digits and underscores",
      ],
    ],
  ] as const)('names what the reviewers of the chat app reject in %j', async ([body, problems], { home }) => {
    const found = await problemsOf(home, text(body));
    // The text begins in column 7 of the file, with a quote.
    const at = (line: string) => line.replace(/^4:(\d+): body: /, (_, column: string) => `${Number(column) - 7}: `);
    expect(found.map(at)).toEqual(problems);
  });

  it('does not judge the preview of an authentication template, nor what files put in place of a variable', async ({ home }) => {
    expect(await problemsOf(home, text('{{1}}', 'authentication'))).toEqual([]);
    expect(await problemsOf(home, text('${greeting} {{1}} ${farewell}'))).toEqual([]);
  });

  it('treats `${name}` as a variable of the files unless it is declared', async ({ home }) => {
    expect(await problemsOf(home, 'name: a\nlanguage: "${lang}"\nbody: "It costs ${total}"\n')).toEqual([]);
    expect(await problemsOf(home, 'name: a\nlanguage: en\nbody: "It costs ${total} today"\nvariables: [total]\n')).toEqual([]);
    expect(await problemsOf(home, 'name: a\nlanguage: en\nbody: "It costs ${total}"\nvariables: []\n')).toEqual([]);
    expect(await problemsOf(home, 'name: a\nlanguage: en\nbody: "Hi {{x}} of ${ brand }"\nvariables: [x]\n')).toEqual([]);
  });

  it('reports aliases that multiply', async ({ home }) => {
    const bomb = [...'bcdefghi'].map((name, index) => `${name}: &${name} [${`*${'abcdefgh'.charAt(index)}, `.repeat(9)}]`);
    home.stdin = `a: &a [x]\n${bomb.join('\n')}\nname: a\nlanguage: en\nbody: x\n`;
    const { code, json } = await templates(home, 'lint', '-', '-o', 'json');
    expect([code, json]).toEqual([
      1,
      { problems: [expect.objectContaining({ problem: expect.stringContaining('aliases of aliases') })], templates: 0 },
    ]);
  });

  it('reports an alias without an anchor, where it is', async ({ home }) => {
    home.stdin = 'name: a\nlanguage: en\nbody: *nope\n';
    const { json } = await templates(home, 'lint', '-', '-o', 'json');
    expect(json.problems).toEqual([expect.objectContaining({ line: 3, problem: "there is no anchor 'nope'" })]);
  });

  it('finds nothing in an account file without templates', async ({ home }) => {
    home.stdin = 'tags: [{ name: VIP }]\nlists: []\n';
    expect((await templates(home, 'lint', '-', '-o', 'json')).json).toEqual({ problems: [], templates: 0 });
  });

  it('reports a file that cannot be read, and continues', async ({ home }) => {
    const none = join(home.path, 'none.yaml');
    const wrong = write(home, 'wrong.yaml', good.replace('en', 'english'));
    const { code, stdout, stderr } = await templates(home, 'lint', none, wrong);
    expect([code, stdout]).toEqual([
      1,
      `${none}: cannot be read: there is no such file\n${wrong}:2:11: language: must be a supported language, such as en or pt_BR\n`,
    ]);
    expect(stderr).toBe('2 problems in 1 template.\n');
    const { json } = await templates(home, 'lint', none, '-o', 'json');
    expect(json.problems).toEqual([
      { file: none, line: null, column: null, field: null, problem: 'cannot be read: there is no such file' },
    ]);
  });

  it('locates each character of a text in the file, or at least the start of the text', () => {
    const line = fc.string({ unit: fc.constantFrom('a', '{', ' ', '"', "'", ':', '#', 'é', '\\'), maxLength: 8 });
    const body = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n'));
    const style = fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED');
    fc.assert(
      fc.property(body, style, fc.nat(), (written, type, where) => {
        const file = stringify({ name: 'a', body: written, last: 1 }, { defaultStringType: type, lineWidth: 0 });
        const [template] = readTemplates(file).templates;
        const text = String(template?.value.body);
        if (text === '') return;
        const at = where % text.length;
        const { line: row, column } = template?.positionIn('body', at) ?? { line: 0, column: 0 };
        const start = template?.positionOf('body');
        const found = file.split('\n')[row - 1]?.[column - 1] ?? '\n';
        if (row !== start?.line || column !== start.column) expect(found).toBe(text[at]);
      }),
      { numRuns: 500 },
    );
  });
});
