import { stripVTControlCharacters } from 'node:util';
import { describe, expect } from 'vitest';
import { it as base } from '../../support/shared-home-test.ts';

const it = base.extend('env', { scope: 'file' }, { MSGCTL_PROFILE: 'sandbox', TZ: 'UTC', NO_COLOR: '1' });

const id = /\b[a-z]{3}_[\w-]{16}/;

it.beforeAll(async ({ home }) => {
  for (const argv of [
    ['sandbox', 'channels', 'add', 'chatapp', '+14155550100'],
    ['agents', 'create', 'Ada'],
    ['campaigns', 'create', 'Spring', '--agent', 'Ada'],
    ['faqs', 'create', 'When are you open?', 'From nine to five.', '--campaign', 'Spring'],
    ['tags', 'create', 'VIP'],
    ['campaigns', 'tags', 'add', 'Spring', 'VIP', 'https://shop.example/vip'],
    ['lists', 'create', 'Regulars'],
    ['contacts', 'create', '+14155550123', '--first-name', 'Grace'],
    ['contacts', 'create', '+14155550124', '--first-name', 'Kurt'],
    ['contacts', 'update', 'Kurt', '--do-not-disturb'],
    ['lists', 'add', 'Regulars', 'Grace', 'Kurt'],
    ['templates', 'create', 'ready', 'It is ready.', '--language', 'en', '--category', 'utility', '--campaign', 'Spring'],
    ['broadcasts', 'create', 'Offer', '--lists', 'Regulars', '--contacts', 'Grace', '--body', '10 % off', '--agent', 'Ada'],
    ['broadcasts', 'submit', 'Offer'],
    ['broadcasts', 'approve', 'Offer', '--yes'],
    ['sandbox', 'settle'],
  ]) {
    const { code, stderr } = await home.run(...argv);
    expect([argv, code, stderr]).toEqual([argv, 0, expect.any(String)]);
  }
});

describe('what a person knows stands for ids', () => {
  it.for([
    [['errors', 'list'], 'CONTACT', 'Kurt'],
    [['campaigns', 'list'], 'AGENT', 'Ada'],
    [['campaigns', 'tags', 'list', 'Spring'], 'TAG', 'VIP'],
    [['faqs', 'list'], 'CAMPAIGNS', 'Spring'],
    [['broadcasts', 'contacts', 'Offer'], 'CONTACT', 'Grace'],
  ] as const)('in the list of %j', async ([argv, heading, name], { home }) => {
    const { stdout } = await home.runOnTerminal(140, ...argv);
    const [, headings = '', , first = ''] = stripVTControlCharacters(stdout).split('\n');
    expect(headings).toContain(`│ ${heading} `);
    expect(stdout).toMatch(new RegExp(`│ ${name} `));
    // Ids come last.
    expect(first.slice(2)).not.toMatch(new RegExp(`^${id.source}`));
    // Other formats have the ids of the interface, and the names on request.
    const rows = await home.run(...argv, '-o', 'ndjson');
    expect(rows.stdout).not.toContain(`"${heading.toLowerCase()}"`);
    expect((await home.run(...argv, '-o', 'ndjson', '--fields', heading.toLowerCase())).stdout).toContain(name);
  });

  it.for([
    [['campaigns', 'get', 'Spring'], 'agent', 'Ada'],
    [['contacts', 'get', 'Grace'], 'lists', 'Regulars'],
    [['broadcasts', 'get', 'Offer'], 'lists', 'Regulars'],
    [['broadcasts', 'get', 'Offer'], 'agent', 'Ada'],
    [['faqs', 'get', 'When are you open?'], 'campaigns', 'Spring'],
    [['templates', 'get', 'ready'], 'campaign', 'Spring'],
  ] as const)('in the record of %j', async ([argv, field, name], { home }) => {
    const { stdout } = await home.runOnTerminal(80, ...argv);
    expect(stdout).toMatch(new RegExp(`^${field} +${name}$`, 'm'));
    expect(stdout).not.toMatch(new RegExp(`^\\S+ +${id.source}[^]*^${field} `, 'm'));
  });
});
