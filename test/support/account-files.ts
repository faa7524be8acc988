import fc from 'fast-check';
import type { KindName } from '../../src/account-as-code/kind.ts';
import type { Files } from './remote-account.ts';

/**
 * Texts that are difficult to write to a file: other scripts, text that looks like YAML or a variable, surrounding whitespace,
 * long text.
 */
const text = fc.oneof(
  fc.constantFrom(
    'yes',
    '~',
    '1e3',
    '2027-01-01',
    '# no comment',
    'a: b',
    '${name}',
    '$${x}',
    '{{first_name}}',
    'Straße 日本 👍',
    '- item',
  ),
  fc.string({ minLength: 1, maxLength: 20 }).filter((drawn) => drawn.trim() !== '' && !drawn.includes('\u0000')),
  fc.constantFrom('two\nlines', 'ends with one\n', '  indented\n  text', `long ${'word '.repeat(130)}`, 'tab\tand "quotes"'),
);

/** Names that no service trims and that differ by more than their case. */
/** A text that a name can be. */
const shortText = text.filter((value) => value.trim() === value && value !== '' && value.length <= 200);

const names = (maxLength: number, minLength = 0) =>
  fc.uniqueArray(fc.constantFrom('Anna', 'Björn', 'Sales & Co', '123', 'no', 'C/D', 'e.f', 'Größe', '家', "it's", 'x: y'), {
    maxLength,
    minLength,
  });

const hours = fc.constantFrom(
  { monday: { start_time: '09:00', end_time: '17:00' } },
  {
    friday: [
      { start_time: '08:00', end_time: '12:00' },
      { start_time: '13:00', end_time: '15:00' },
    ],
  },
);

const channels = fc.subarray(['chatapp', 'sms'], { minLength: 1 });

const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });

/** One of the given names, if there are any. */
const oneOf = (all: readonly string[]) => (all.length === 0 ? fc.constant(undefined) : optional(fc.constantFrom(...all)));

const functionNames = ['lookup_order', 'weather'];

/** Accounts with a few records of each kind, as files. Each kind that a folder contains is complete. */
export const accountFiles: fc.Arbitrary<Files> = fc
  .record({ tags: names(4), agents: names(3, 1), events: names(2), campaigns: names(2), keywords: names(4) })
  .chain(({ tags, agents, events, campaigns, keywords }) =>
    fc.record({
      config: fc.record(
        { timezone: fc.constantFrom('UTC', 'Europe/Berlin'), session_hours: fc.integer({ min: 1, max: 168 }), business_name: shortText },
        { requiredKeys: [] },
      ),
      tags: fc.tuple(...tags.map((name) => fc.record({ name: fc.constant(name), description: optional(text) }))),
      lists: names(3).map((own) => own.map((name) => ({ name }))),
      events: fc.tuple(
        ...events.map((name) =>
          fc.record({ name: fc.constant(name), slot_minutes: fc.constantFrom(15, 30), availability: optional(hours) }),
        ),
      ),
      pipelines: fc.subarray(['Sales', 'Repairs']).chain((own) =>
        fc.tuple(
          ...own.map((name) =>
            fc.record({
              name: fc.constant(name),
              stages: names(3, 1).map((all) => all.map((stage, index) => ({ name: stage, ...(index === 2 && { kind: 'won' }) }))),
            }),
          ),
        ),
      ),
      functions: fc.tuple(
        ...functionNames.map((name) =>
          fc.record({
            name: fc.constant(name),
            url: fc.constantFrom('https://example.com/lookup', 'https://example.org/f?x=1'),
            description: optional(text),
            parameters: optional(fc.constant({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] })),
            method: optional(fc.constantFrom('POST', 'GET')),
            enabled: optional(fc.boolean()),
          }),
        ),
      ),
      'tool-servers': fc.subarray(['crm', 'shop']).chain((own) =>
        fc.tuple(
          ...own.map((name) =>
            fc.record({
              name: fc.constant(name),
              url: fc.constant('https://example.com/mcp'),
              allowed_tools: optional(fc.subarray(['b', 'a'])),
            }),
          ),
        ),
      ),
      widgets: fc.subarray(['Shop', 'Help']).chain((own) =>
        fc.tuple(
          ...own.map((name) =>
            fc.record({
              name: fc.constant(name),
              greeting: optional(text),
              colour: optional(fc.constantFrom('#2563eb', '#0F766E')),
              allowed_origins: optional(fc.subarray(['https://shop.example', 'http://localhost:3000'])),
              agent: oneOf(agents),
              enabled: optional(fc.boolean()),
            }),
          ),
        ),
      ),
      groups: fc.subarray(['Delivery', 'Prices']).chain((own) =>
        fc.tuple(
          ...own.map((name) =>
            fc.record({
              name: fc.constant(name),
              description: optional(text),
              faqs: optional(
                fc.subarray(
                  campaigns.flatMap((campaign) => [
                    { campaign, question: 'Where?' },
                    { campaign, question: 'When?' },
                  ]),
                ),
              ),
              agents: optional(fc.subarray(agents)),
              campaigns: optional(fc.subarray(campaigns)),
            }),
          ),
        ),
      ),
      agents: fc.tuple(
        ...agents.map((name) =>
          fc.record({
            name: fc.constant(name),
            functions: optional(fc.subarray(functionNames)),
            active: fc.boolean(),
            goal: optional(text),
            instructions: optional(text),
            availability: optional(hours),
            events: optional(fc.subarray(events)),
            tags: optional(fc.subarray(tags).map((own) => own.map((tag) => ({ tag, description: 'x' })))),
          }),
        ),
      ),
      campaigns: fc.tuple(
        ...campaigns.map((name) =>
          fc.record({ name: fc.constant(name), agent: oneOf(agents), channel: fc.constantFrom('chatapp', 'sms') }),
        ),
      ),
      faqs: fc.tuple(
        ...campaigns.flatMap((campaign) =>
          ['Where?', 'When?', 'How much?'].map((question) =>
            fc.record({ campaign: fc.constant(campaign), question: fc.constant(question), answer: text, order_index: fc.nat(3) }),
          ),
        ),
      ),
      templates: fc.subarray(['en', 'de']).map((own) => own.map((language) => ({ name: 'hello', language, body: `Hello ${language}` }))),
      webhooks: fc.subarray(['first', 'second', 'third']).chain((own) =>
        fc.tuple(
          ...own.map((name) =>
            fc.record({
              name: fc.constant(name),
              url: fc.constantFrom('https://example.com/a?b=c', 'https://example.org'),
              subscribed_to: fc.subarray(['Replies', 'Reads'], { minLength: 1 }),
              subscribed_to_tags: optional(fc.subarray(tags)),
            }),
          ),
        ),
      ),
      defaults: fc
        .subarray(['chatapp', 'sms'])
        .chain((own) =>
          fc.tuple(...own.map((channel) => fc.record({ channel: fc.constant(channel), agent: fc.constantFrom(null, ...agents) }))),
        ),
      rules: fc.tuple(
        ...keywords.map((word) =>
          fc.record({
            type: fc.constant('keyword'),
            channels,
            // Two rules of one folder cannot have the same content.
            keywords: fc.subarray(['all']).map((more) => [word, ...more]),
            agent: fc.constantFrom(...agents),
          }),
        ),
      ),
    }),
  )
  .map((kinds) => ({
    'account.yaml': JSON.stringify({ prune: Object.keys(kinds).filter((name) => name !== 'config') }),
    // JSON is valid YAML. In files, a variable is escaped with another dollar sign.
    'all.yaml': JSON.stringify(kinds).replaceAll('${', () => '$${'),
  }));

/** A record of each kind in a form that the service normalises: in another order, with duplicates, or spelled differently. */
export const unusualRecords: fc.Arbitrary<Readonly<Record<Exclude<KindName, 'config'>, readonly object[]> & { config: object }>> = fc
  .record({
    window: fc.constantFrom({ start_time: '09:00', end_time: '17:00' }, { start_time: '00:00', end_time: '23:59' }),
    days: fc.shuffledSubarray(['monday', 'tuesday', 'sunday'], { minLength: 1 }),
    isList: fc.boolean(),
    tags: fc.shuffledSubarray(['VIP', 'cold', 'new']),
    events: fc.shuffledSubarray(['Visit', 'Call', 'Visit']),
    channels: fc.shuffledSubarray(['chatapp', 'sms', 'email'], { minLength: 1 }),
    subscribed: fc.shuffledSubarray(['Replies', 'Reads', 'Deliveries'], { minLength: 1 }),
    expires: fc.constantFrom('2030-01-01', '2030-01-01T00:00:00+02:00', '2030-01-01T12:00:00.5Z'),
    body: fc.constantFrom('Hello {first_name}', 'Hello {{first_name}}', 'Hello [first_name]', 'Hello  {{ first_name }}'),
    url: fc.constantFrom('https://example.com', 'https://EXAMPLE.com/a', 'https://example.com/a#b', 'https://example.com/a/'),
    keywords: fc.constantFrom(['Price', 'price'], [' cost '], ['GRÖSSE']),
  })
  .map(({ window, days, isList, tags, events, channels, subscribed, expires, body, url, keywords }) => {
    const availability = Object.fromEntries(days.map((day) => [day, isList ? [window] : window]));
    return {
      config: { quiet_hours: { end_time: '07:00', start_time: '22:00' }, language: null, session_hours: 24 },
      tags: ['VIP', 'cold', 'new'].map((name) => ({ name, description: null })),
      lists: [{ name: 'x' }],
      events: ['Visit', 'Call'].map((name) => ({ name, availability })),
      pipelines: [{ name: 'Sales', stages: [{ name: 'New' }, { name: 'Won', kind: 'won' }] }],
      functions: ['a', 'b'].map((name) => ({ name, url, description: null })),
      'tool-servers': [{ name: 'crm', url, allowed_tools: tags }],
      sources: [{ url }],
      agents: [
        {
          name: 'A',
          availability,
          events,
          functions: ['b', 'a'],
          tool_servers: ['crm'],
          sources: [url],
          tags: tags.map((tag) => ({ tag, description: isList ? null : 'x', ai_can_remove: isList })),
        },
      ],
      campaigns: [{ name: 'Spring', agent: 'A' }],
      faqs: [{ campaign: 'Spring', question: 'Where?', answer: 'Here', tags, category: null }],
      groups: [{ name: 'G', faqs: [{ campaign: 'Spring', question: 'Where?' }], agents: ['A', 'A'], campaigns: ['Spring'] }],
      templates: [{ name: 'hello', language: 'en', body }],
      webhooks: [{ name: 'hook', url, subscribed_to: subscribed, subscribed_to_tags: tags }],
      'short-links': [],
      widgets: [{ name: 'Shop', greeting: null, allowed_origins: ['https://b.example', 'https://a.example'], agent: 'A' }],
      defaults: [{ channel: 'sms', agent: null }],
      rules: [{ type: 'keyword', channels, keywords, agent: 'A' }],
      keys: [{ label: 'K', expires_at: expires, scopes: { tags: ['Tags', 'Lists'], read_only: isList } }],
    };
  });
