import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { argumentsOf, optionsOf } from '../../src/cli/verb/verb-options.ts';
import { nouns } from '../../src/cli/nouns.ts';
import { it as base } from '../support/shared-home-test.ts';

// Each option and argument that takes one of a set of words names the nearest one when a word is misspelled.

const it = base.extend('env', { scope: 'file' }, { MSGCTL_PROFILE: 'sandbox', TZ: 'UTC' });
let file: string;

it.beforeAll(async ({ home }) => {
  file = join(home.path, 'people.csv');
  writeFileSync(file, 'identity,question,answer\nada,a?,b\n');
  await home.run('sandbox', 'clock', 'freeze');
  await home.run('contacts', 'create', '+14155550101');
  await home.run('keys', 'create', '--label', 'reports');
  await home.run('broadcasts', 'create', 'Offer', '--body', 'Hi', '--contacts', '+14155550101');
  await home.run('agents', 'create', 'Ada');
  await home.run('templates', 'create', 'hello', '--language', 'en', '--body', 'Hi', '--status', 'submitted');
  await home.run('campaigns', 'create', 'Spring');
  await home.run('webhooks', 'create', 'https://receiver.example/', '--name', 'orders', '--events', 'all');
  await home.run('routing', 'rules', 'create', 'Ada', '--type', 'keyword', '--keywords', 'menu');
});

// A window of the rate limit ends.
it.beforeEach(async ({ home }) => void (await home.run('sandbox', 'clock', 'advance', '60')));

/** What a verb needs beside the word: its arguments, and the options that it requires. The word is `?` where it is an argument. */
const needed = (): Record<string, readonly string[]> => ({
  'keys update': ['reports'],
  'messages search': ['x'],
  'contacts import': [file],
  'contacts send': ['+14155550101', 'Hello'],
  'campaigns create': ['x'],
  'campaigns update': ['Spring'],
  'faqs import': [file, '--campaign', 'Spring'],
  'broadcasts create': ['x', '--body', 'Hi', '--contacts', '+14155550101'],
  'broadcasts update': ['Offer'],
  'routing defaults set --channel': ['Ada'],
  'routing defaults set': ['?', 'Ada'],
  'routing defaults clear --channel': [],
  'routing defaults clear': ['?'],
  'routing rules create': ['Ada', '--type', 'keyword', '--keywords', 'x'],
  'routing rules update': ['menu'],
  'routing channels set': ['?', 'Spring'],
  'routing channels clear': ['?'],
  'webhooks create': ['https://example.com/'],
  'webhooks update': ['orders'],
  'webhooks test': ['orders'],
  'webhooks deliveries': ['orders'],
  'webhooks replay': ['orders', '--since', '1h'],
  'webhooks listen': ['--port', '0'],
  'analytics activity --type': ['con_1'],
  'analytics activity': ['?', 'con_1'],
  export: [`${file}.exported`],
  'analytics export': ['--dataset', 'series', '--checkpoint', `${file}.state`, '--out', `${file}.out.csv`],
  'sandbox jobs hold': ['?'],
  'team invite': ['eve@example.com', '--name', 'Eve'],
  'team update': ['eve@example.com'],
  'sessions export --channel': ['--from', '2027-01-01', '--to', '2027-01-02', '--format', 'csv'],
  'sandbox members add': ['Eve', 'eve@example.com'],
  'sandbox channels add --channel': ['+14155550100'],
  'sandbox channels add': ['?', '+14155550100'],
  'sandbox inbound': ['+14155550101', 'Hello'],
  'sandbox receipt': ['msg_1', '?'],
  'sandbox review': ['hello', '?'],
  'sandbox events trigger': ['?'],
  'api --method': ['/health'],
  api: ['?', '/health'],
  completion: ['?'],
});

interface Choice {
  readonly command: string;
  /** The option with its dashes; undefined for an argument. */
  readonly flag: string | undefined;
  readonly words: readonly string[];
}

const fixedWords = ({ choices, completes }: { choices?: readonly string[] | undefined; completes?: unknown }) =>
  choices ?? (Array.isArray(completes) ? (completes as string[]) : []);

const loaded = await Promise.all(nouns.map(async ({ name, load }) => ({ name, verbs: (await load()).verbs })));

const choices: Choice[] = loaded.flatMap(({ name, verbs }) =>
  verbs.flatMap((verb) => {
    const command = `${name} ${verb.name}`.trim();
    const options = optionsOf(verb).map((option) => ({ command, flag: /--[\w-]+/.exec(option.flags)?.[0], words: fixedWords(option) }));
    const args = argumentsOf(verb).map((argument) => ({ command, flag: undefined, words: fixedWords(argument) }));
    return [...options, ...args].filter(({ words }) => words.length > 0);
  }),
);

/** A word with a letter too many. */
const misspelled = (word = '') => word.slice(0, 2) + word.slice(1);

it.for(choices)('$command $flag names the nearest word', async ({ command, flag, words }, { home }) => {
  for (const word of new Set([words[0], words[words.length >> 1], words.at(-1)])) {
    const given = needed()[`${command} ${flag ?? ''}`.trim()] ?? needed()[command] ?? [];
    const argv = flag === undefined ? given.map((each) => (each === '?' ? misspelled(word) : each)) : [...given, flag, misspelled(word)];
    const { code, stderr } = await home.run(...command.split(' '), ...argv);
    expect([argv, code, stderr]).toEqual([argv, 2, expect.stringMatching(new RegExp(`id you mean '?${word}[?']`))]);
  }
});

it.for([
  [['tags', 'list', '-o', 'jsn'], "--output 'jsn' must be one of table, json, ndjson, csv, tsv, yaml\nDid you mean 'json'?\n"],
  [['tags', 'list', '-o', 'TABLE'], "\nDid you mean 'table'?\n"],
  [['webhooks', 'health', '--fail-on', 'disabld'], "\nDid you mean 'disabled'?\n"],
  [['sandbox', 'events', 'trigger', 'Task Craeted'], "Unknown event 'Task Craeted'; did you mean Task Created?\n"],
  [['analytics', 'series', '--metrics', 'sent,snt'], "\nDid you mean 'sent'?\n"],
  [['analytics', 'series', '--metrics', 'sent,Replied'], "\nDid you mean 'replied'?\n"],
  [['completion', 'bsah'], "Unknown shell 'bsah'; did you mean bash?\n"],
  [['api', 'GTE', '/health'], "Unknown method 'GTE'; did you mean GET?\n"],
  [['dump', 'folder', '--only', 'lists,tgas'], "Error: 'tgas' is not a kind; the kinds are config, tags, "],
  [['dump', 'folder', '--only', 'lists,tgas'], "\nDid you mean 'tags'?\n"],
  [['dump', 'folder', '--with', 'keyz'], "\nDid you mean 'keys'?\n"],
  [['keys', 'create', '--section', 'Contacts,Sessions'], "\nDid you mean 'Chat Sessions'?\n"],
  [['webhooks', 'update', 'orders', '--events', 'Task Created,Replise'], "--events 'Replise' must be one of "],
  [['webhooks', 'update', 'orders', '--events', 'Task Created,Replise'], "\nDid you mean 'Replies'?\n"],
  [['broadcasts', 'wait', 'Offer', '--for', 'Snet'], "\nDid you mean 'sent'?\n"],
  [['help', 'scops'], "Unknown command 'scops'; did you mean scopes?\n"],
  [['tags', 'list', '--fields', 'id,nmae'], "\nDid you mean 'name'?\n"],
  [['tags', 'list', '--query', 'lenght(tags)'], "\nDid you mean 'length'?\n"],
  [['tags', 'list', '--profile', 'sandbxo'], "\nDid you mean 'sandbox'?\n"],
  [['contacts', 'import', 'people.csv', '--map', 'Mobile=phone_numbr'], "\nDid you mean 'phone_number'?\n"],
] as const)('%j names the nearest word', async ([argv, message], { home }) => {
  const { code, stderr } = await home.run(...argv);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it('a word of MSGCTL_OUTPUT is named too', async ({ home }) => {
  home.env = { ...home.env, MSGCTL_OUTPUT: 'jsn' };
  const { code, stderr } = await home.run('tags', 'list');
  home.env = { MSGCTL_PROFILE: 'sandbox', TZ: 'UTC' };
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^Error: MSGCTL_OUTPUT 'jsn' must be one of .*\nDid you mean 'json'\?\n$/)]);
});
