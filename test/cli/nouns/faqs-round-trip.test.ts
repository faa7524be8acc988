import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { comparedQuestion } from '../../../src/contract/areas/faqs/question.ts';
import { it } from '../../support/shared-home-test.ts';
import { tries } from '../../support/sweeps.ts';
import type { Home } from '../../support/terminal-world.ts';

// Texts that a format could mistake for its own syntax, or lose.
const pieces = [
  ...['=', '+', '-', '@', "'", '"', ',', ';', '|', '\t', '\r', '\n', '\n\n', '\r\n', '\\', ' ', '    ', '#', ':', '- ', '~', '[', '{', '}'],
  ...['\u0085', '\u00a0', '\u2028', '\ufeff', 'ü', '日本', '👩‍👩‍👧', 'e\u0301', '\u001b', '＝', 'null', 'true', '1e3', '0171', '---', 'faqs:'],
  ...[
    '\n## ',
    '\n##',
    '## ',
    '# ',
    '### ',
    '\n```\n',
    '\n```js\n',
    '```',
    '~~~',
    '\n~~~~\n',
    '\n- a\n- b',
    '\n1. x',
    '<br>',
    '&#10;',
    '&#32;',
    '\\<br>',
  ],
];

const text = fc
  .oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme' }),
  )
  .map((value) => value.replaceAll('\0', '').slice(0, 300).toWellFormed());

const filled = text.filter((value) => value.trim() !== '');

const fields = ['question', 'answer', 'category', 'tags', 'is_active', 'is_global', 'order_index'] as const;

const faq = fc.record(
  {
    question: filled,
    answer: filled,
    category: fc.oneof(
      fc.constant(null),
      text.filter((value) => value !== ''),
    ),
    tags: fc.array(text, { maxLength: 4 }),
    is_active: fc.boolean(),
    is_global: fc.boolean(),
    order_index: fc.nat({ max: 5 }),
  },
  { requiredKeys: ['question', 'answer'] },
);

type Faq = Partial<Record<(typeof fields)[number], unknown>>;

/** Some fields of the FAQs of the store, in their order. */
async function stored(home: Home, names: readonly (typeof fields)[number][]): Promise<Faq[]> {
  const { json } = await home.run('faqs', 'export', '-o', 'json');
  return (json.faqs as Faq[]).map((each) => Object.fromEntries(names.map((name) => [name, each[name]])));
}

async function useNew(home: Home, store: string): Promise<void> {
  rmSync(join(home.path, store), { recursive: true, force: true });
  use(home, store);
  await home.run('campaigns', 'create', 'Spring');
}

function use(home: Home, store: string): void {
  home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_DATA_DIR: join(home.path, store) };
}

it('an export in any format is imported again without loss; Markdown keeps questions and answers', async ({ home }) => {
  const faqs = fc.uniqueArray(faq, { maxLength: 6, selector: ({ question }) => comparedQuestion(question) });
  await fc.assert(
    fc.asyncProperty(faqs, async (made) => {
      await useNew(home, 'a');
      if (made.length > 0) {
        const { campaigns } = (await home.run('campaigns', 'list', '-o', 'json')).json as { campaigns: { id: string }[] };
        const body = join(home.path, 'body.json');
        writeFileSync(body, JSON.stringify({ campaign_id: campaigns[0]?.id, faqs: made }));
        expect(await home.run('api', 'POST', '/faqs/import', '--input', body)).toMatchObject({ code: 0 });
      }
      for (const format of ['csv', 'json', 'ndjson', 'yaml', 'md']) {
        const names = format === 'md' ? (['question', 'answer'] as const) : fields;
        use(home, 'a');
        const before = await stored(home, names);
        home.stdin = (await home.run('faqs', 'export', '--campaign', 'Spring', '--format', format)).stdout;
        const exported = home.stdin;
        await useNew(home, 'b');
        home.stdin = exported;
        const { code, stderr } = await home.run('faqs', 'import', '-', '--format', format, '--campaign', 'Spring');
        expect([format, exported, code, stderr]).toEqual([format, exported, 0, expect.stringMatching(/Imported \d FAQs?\.\n$/)]);
        expect([format, exported, await stored(home, names)]).toEqual([format, exported, before]);
      }
    }),
    { numRuns: tries(5) },
  );
}, 240_000);

it('an export to Markdown says what it leaves out', async ({ home }) => {
  await useNew(home, 'd');
  const exported = async (format: string) => (await home.run('faqs', 'export', '--campaign', 'Spring', '--format', format)).stderr;
  await home.run('faqs', 'create', 'Spring', 'Open?', 'At nine.');
  expect(await exported('md')).not.toContain('Markdown');
  await home.run('faqs', 'update', 'Open?', '--category', 'Hours', '--no-is-active');
  expect(await exported('md')).toContain('not categories, which FAQs are off. --format csv keeps all fields.');
  expect(await exported('csv')).not.toContain('without');
});

it('importing an exported file reverts later changes in every format', async ({ home }) => {
  await useNew(home, 'c');
  const file = (name: string) => join(home.path, name);
  writeFileSync(file('one.csv'), 'question,answer\nOpen?,At nine.\nParking?,"Yes, behind the house."\n');
  expect((await home.run('faqs', 'import', file('one.csv'), '--campaign', 'Spring')).code).toBe(0);
  const before = await stored(home, fields);
  for (const format of ['csv', 'json', 'ndjson', 'yaml', 'md']) {
    const out = file(`faqs.${format}`);
    expect(await home.run('faqs', 'export', '--campaign', 'Spring', '--out', out)).toMatchObject({ code: 0, stdout: '' });
    const changes = ['--answer', 'At ten.', '--category', 'x', '--tags', 'a', '--no-is-active'];
    expect((await home.run('faqs', 'update', 'Open?', ...(format === 'md' ? changes.slice(0, 2) : changes))).code).toBe(0);
    expect(await stored(home, fields)).not.toEqual(before);
    expect((await home.run('faqs', 'import', out, '--campaign', 'Spring')).code).toBe(0);
    expect([format, readFileSync(out, 'utf8'), await stored(home, fields)]).toEqual([format, expect.anything(), before]);
  }
});
