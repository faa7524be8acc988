import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { fieldOptions, fieldType, readFields } from '../../../src/cli/verb/fields.ts';
import type { FieldSpec } from '../../../src/cli/verb/noun.ts';
import type { Session, Verb } from '../../../src/cli/verb/noun.ts';
import { argumentsOf, optionsOf } from '../../../src/cli/verb/verb-options.ts';
import { whenForms } from '../../../src/cli/verb/values.ts';
import { nouns } from '../../../src/cli/nouns.ts';
import { allEndpoints } from '../../../src/contract/endpoints.ts';
import { type Endpoint, endpoint, schemaOf } from '../../../src/contract/endpoint.ts';

const update = endpoint({
  name: 'things.update',
  method: 'PATCH',
  path: '/things/{id}',
  section: 'Tasks',
  access: 'account',
  summary: 'Change a thing',
  query: () => z.object({ search: z.string().optional().describe('only matches') }),
  body: () =>
    z.object({
      due_at: z.string().meta({ format: 'date-time' }).nullable().optional().describe('when it is due'),
      contact_id: z.string().optional().describe('its contact'),
      list_ids: z.array(z.string()).optional().describe('its lists'),
      room_ids: z.array(z.string()).min(1).optional().describe('its rooms'),
      count: z.int().min(1).optional().describe('how many'),
      size: z.int().min(1).optional().meta({ description: 'how large', defaultText: '10' }),
      offset: z.int().optional().describe('where'),
      price: z.number().nullable().optional().describe('its price'),
      enabled: z.boolean().optional().describe('whether it works'),
      quiet: z.boolean().optional().meta({ description: 'say nothing', defaultText: 'false' }),
      drop: z.literal(true).optional().describe('drop it'),
      status: z.enum(['open', 'closed']).optional().describe('its status'),
      plan: z
        .object({ size: z.int().optional().describe('its size') })
        .optional()
        .describe('its plan'),
      name: z.string().describe('its name'),
    }),
  responses: { 200: () => z.object({}) },
});

const verbOf = (...fields: FieldSpec[]): Verb => ({ name: 'update', summary: '', examples: [], endpoint: update, fields, run: never });

const never = () => Promise.reject(new Error('not run'));

const optionOf = (field: FieldSpec) => fieldOptions(verbOf(field))[0];

const read = (fields: FieldSpec[], options: Record<string, unknown>, input = {}) =>
  readFields(update, fields, options, { input } as unknown as Session);

describe('an option of a field', () => {
  it.each<[FieldSpec, string, string]>([
    ['due_at', '--due-at <when>', `when it is due: ${whenForms}; '' clears it`],
    ['size', '--size <count>', 'how large'],
    [{ field: 'contact_id', flag: 'contact' }, '--contact <id>', 'its contact'],
    ['list_ids', '--list-ids <ids>', "its lists; '' clears it"],
    ['room_ids', '--room-ids <ids>', 'its rooms'],
    ['count', '--count <count>', 'how many'],
    ['offset', '--offset <number>', 'where'],
    ['price', '--price <number>', "its price; '' clears it"],
    ['drop', '--drop', 'drop it'],
    ['plan', '--plan <json>', 'its plan'],
    ['plan.size', '--size <number>', 'its size'],
    ['search', '--search <text>', 'only matches'],
    [{ field: 'name', default: 'x' }, '--name <text>', 'its name (default: x)'],
  ])('%j has the flags, the placeholder and the help of the contract', (field, flags, summary) => {
    expect(optionOf(field)).toMatchObject({ flags, summary });
  });

  it('clears a list with an empty text only in an update', () => {
    const creation = { ...verbOf('list_ids'), endpoint: { ...update, method: 'POST' } as const };
    expect(() => fieldOptions(creation)[0]?.parse?.('', undefined)).toThrow(/must not be empty/);
  });

  it('names its default, but not in an update', () => {
    const creation = { ...update, method: 'POST' } as const;
    const summaries = (made: Endpoint) => fieldOptions({ ...verbOf('size', 'quiet'), endpoint: made }).map(({ summary }) => summary);
    expect(summaries(creation)).toEqual(['how large (default: 10)', 'say nothing', 'the opposite of --quiet (the default)']);
    expect(summaries(update)).toEqual(['how large', 'say nothing', 'the opposite of --quiet']);
  });

  it('has an opposite for a boolean', () => {
    expect(fieldOptions(verbOf('enabled', { field: 'enabled', flag: 'on', negative: 'off' }))).toEqual([
      { flags: '--enabled', summary: 'whether it works' },
      { flags: '--no-enabled', summary: 'the opposite of --enabled' },
      { flags: '--on', summary: 'whether it works' },
      { flags: '--no-on', summary: 'off' },
    ]);
  });

  it('has the choices of an enumeration, and is required when the contract requires the field', () => {
    expect(optionOf('status')).toMatchObject({ choices: ['open', 'closed'], completes: ['open', 'closed'], isRequired: false });
    expect(optionOf('name')).toMatchObject({ isRequired: true });
    expect(optionOf({ field: 'name', default: 'x' })).toMatchObject({ isRequired: false });
  });

  it.each<[FieldSpec, string, unknown]>([
    ['list_ids', 'a, b', ['a', 'b']],
    ['list_ids', '', []],
    ['count', '3', 3],
    ['offset', '-3', -3],
    ['price', '1.5', 1.5],
    ['plan', '{"size": 1}', { size: 1 }],
  ])('%j parses %j', (field, text, value) => {
    expect(optionOf(field)?.parse?.(text, undefined)).toEqual(value);
  });

  it.each<[FieldSpec, string, RegExp]>([
    ['room_ids', '', /must not be empty/],
    ['count', '0', /whole number above 0/],
    ['offset', '1.5', /whole number/],
    ['price', 'x', /must be a number/],
    ['plan', '{', /must be JSON/],
  ])('%j refuses %j', (field, text, message) => {
    expect(() => optionOf(field)?.parse?.(text, undefined)).toThrow(message);
  });
});

describe('the fields of a request', () => {
  it('go to the body or the query, nested fields into objects, and only if they are given', async () => {
    expect(await read(['search', 'plan.size', 'enabled', 'count'], { search: 'x', size: 2, enabled: false })).toEqual({
      query: { search: 'x' },
      body: { plan: { size: 2 }, enabled: false },
    });
  });

  it('are cleared by an empty text when they are nullable', async () => {
    expect((await read(['due_at', 'price', 'contact_id'], { dueAt: '', price: '', contactId: '' })).body).toEqual({
      due_at: null,
      price: null,
      contact_id: '',
    });
    expect((await read([{ field: 'due_at', parse: (text: string) => text }], { dueAt: '' })).body).toEqual({ due_at: '' });
  });

  it('have their default unless an option or the input gives a value', async () => {
    const fields = [{ field: 'name', default: 'x' }];
    expect((await read(fields, {})).body).toEqual({ name: 'x' });
    expect((await read(fields, { name: 'y' })).body).toEqual({ name: 'y' });
    expect((await read(fields, {}, { name: 'z' })).body).toEqual({});
  });

  it('must exist in the contract', () => {
    expect(() => fieldType(update, 'nothing')).toThrow('things.update has no field nothing');
  });
});

it('every argument and option has help, and no verb repeats a flag', async () => {
  for (const entry of nouns)
    for (const verb of (await entry.load()).verbs) {
      const what = `${entry.name} ${verb.name}`;
      for (const { usage, summary } of argumentsOf(verb)) expect([what, usage, summary]).not.toContain('');
      for (const { flags, summary } of optionsOf(verb)) expect([what, flags, summary]).not.toContain('');
      const flags = optionsOf(verb).map((option) => option.flags.split(' ')[0]);
      expect(flags.length, what).toBe(new Set(flags).size);
    }
});

it('every field of a body or a query is described in the contract', () => {
  for (const each of allEndpoints as readonly Endpoint[])
    for (const place of ['body', 'query'] as const)
      for (const field of Object.keys(each[place] ? schemaOf(each[place]).shape : {}))
        expect(fieldType(each, field).description, `${each.name}: ${field}`).not.toBe('');
});
