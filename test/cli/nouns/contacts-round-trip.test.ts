import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { it } from '../../support/shared-home-test.ts';
import { tries } from '../../support/sweeps.ts';
import type { Home } from '../../support/terminal-world.ts';

// Texts that a format could mistake for its own syntax, or lose.
const pieces = [
  ...[
    '=',
    '+',
    '-',
    '@',
    "'",
    '"',
    ',',
    ';',
    '|',
    '\t',
    '\r',
    '\n',
    '\\',
    ' ',
    '#',
    ':',
    '- ',
    '~',
    '[',
    '{',
    '}',
    ']',
    '&',
    '*',
    '!',
    '%',
  ],
  ...['\u0085', '\u00a0', '\u2028', '\ufeff', 'ü', '日本', '👩‍👩‍👧', 'e\u0301', '\u001b', '＝'],
  ...['null', 'true', '1e3', '0171', '[{"', '---', 'contacts:', 'sep=;', '2027-03-01', 'x'],
];

const text = fc
  .oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme' }),
  )
  .map((value) => value.replaceAll('\0', '').slice(0, 200).toWellFormed())
  .filter((value) => value.trim() !== '');

const name = text.map((value) => value.trim());

const fields = [
  'phone_number',
  'identity',
  'channel',
  'first_name',
  'last_name',
  'email',
  'company',
  'do_not_disturb',
  'private_mode',
  'archived',
  'tags',
] as const;

const contact = fc.record(
  {
    channel: fc.constantFrom('chatapp', 'chatapp_web', 'sms', 'photo_social', 'email', 'custom_channel'),
    identity: name,
    first_name: text,
    last_name: text,
    company: text,
    email: fc.constantFrom('ada@example.com', '+ada@example.com', "o'brien@example.com", '-x@example.com'),
    do_not_disturb: fc.boolean(),
    private_mode: fc.boolean(),
    archived: fc.boolean(),
    tags: fc.array(name, { maxLength: 4 }),
  },
  { requiredKeys: ['channel', 'identity', 'tags'] },
);

type Contact = Partial<Record<(typeof fields)[number], unknown>>;

function use(home: Home, store: string): void {
  home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_DATA_DIR: join(home.path, store) };
}

function useNew(home: Home, store: string): void {
  rmSync(join(home.path, store), { recursive: true, force: true });
  use(home, store);
}

/** The contacts with the fields that an import accepts. */
async function stored(home: Home): Promise<Contact[]> {
  const { json } = await home.run('contacts', 'list', '--all', '-o', 'json');
  return sorted(
    (json.contacts as (Contact & { tags: { name: string }[] })[]).map((each) =>
      Object.fromEntries(fields.map((field) => [field, field === 'tags' ? each.tags.map((tag) => tag.name).sort() : each[field]])),
    ),
  );
}

const sorted = (contacts: readonly Contact[]) =>
  contacts.toSorted((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));

/** What TSV keeps of a value: blanks for tabs and line breaks. A value wholly in quotes reads as one that a spreadsheet quoted. */
function inTsv(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => onOneLine(item as string));
  if (typeof value !== 'string') return value;
  const line = onOneLine(value);
  return /^"([^"]|"")*"$/.test(line) ? line.slice(1, -1).replaceAll('""', '"') : line;
}

const onOneLine = (value: string) => value.replaceAll('\r\n', ' ').replaceAll(/[\t\r\n]/g, ' ');

it('an export in any format is imported again without loss', async ({ home }) => {
  const contacts = fc.uniqueArray(contact, { maxLength: 6, selector: ({ channel, identity }) => `${channel}:${String(inTsv(identity))}` });
  await fc.assert(
    fc.asyncProperty(contacts, async (made) => {
      const rows = made.map((each, index) =>
        /^(chatapp|sms)/.test(each.channel) ? { ...each, identity: undefined, phone_number: `+1415${5_550_000 + index}` } : each,
      );
      useNew(home, 'a');
      const body = join(home.path, 'body.json');
      writeFileSync(body, JSON.stringify({ contacts: rows }));
      const sent = await home.run('api', 'POST', '/contacts/import', '--input', body, '-o', 'json');
      expect(sent.json).toMatchObject({ imported: rows.length, skipped: [] });
      const before = await stored(home);
      for (const format of ['csv', 'tsv', 'json', 'ndjson', 'yaml']) {
        use(home, 'a');
        home.stdin = (await home.run('contacts', 'list', '--all', '--fields', 'all', '-o', format)).stdout;
        const exported = home.stdin;
        useNew(home, 'b');
        const { code, stderr } = await home.run('contacts', 'import', '-');
        expect([format, exported, code, stderr]).toEqual([
          format,
          exported,
          0,
          expect.stringMatching(`^(Importing .*\n)?(Imported ${made.length}, skipped 0|Nothing .*)\\.\n$`),
        ]);
        const kept = (each: Contact) => Object.fromEntries(Object.entries(each).map(([field, value]) => [field, inTsv(value)]));
        const expected = format === 'tsv' ? sorted(before.map(kept)) : before;
        expect([format, exported, await stored(home)]).toEqual([format, exported, expected]);
      }
    }),
    { numRuns: tries(6) },
  );
}, 240_000);
