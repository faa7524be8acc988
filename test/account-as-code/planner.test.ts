import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Configuration } from '../../src/account-as-code/planner/configuration.ts';
import { withoutVariables, withVariables } from '../../src/account-as-code/files/variables.ts';
import { keyOf } from '../../src/account-as-code/record-keys.ts';
import { type KindName, kindNames, type LiveRecord } from '../../src/account-as-code/kind.ts';
import { kinds } from '../../src/account-as-code/kinds.ts';
import type { Live } from '../../src/account-as-code/live.ts';
import { makePlan } from '../../src/account-as-code/planner/planner.ts';
import { neededTouches, overlap } from '../../src/account-as-code/planner/precedence.ts';
import type { Fields } from '../../src/account-as-code/values.ts';
import { defaultPlan } from '../../src/contract/plan.ts';

const name = fc.string({ minLength: 1, maxLength: 6 }).filter((text) => text.trim() === text);
const names = (max = 6) => fc.uniqueArray(name, { maxLength: max, selector: (text) => text.normalize('NFKC').toLowerCase() });

/** Accounts without ambiguous names. */
const accounts = fc
  .record({ tags: names(), agents: names(), campaigns: names(), keywords: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 }) })
  .map(({ tags, agents, campaigns, keywords }) => {
    const [agent] = agents;
    return new Map<KindName, Fields[]>([
      ['tags', tags.map((tag) => ({ name: tag, description: `about ${tag}` }))],
      ['agents', agents.map((each) => ({ name: each, active: true, goal: each, tags: tags.slice(0, 1).map((tag) => ({ tag })) }))],
      ['campaigns', campaigns.map((each) => ({ name: each, ...(agent !== undefined && { agent }) }))],
      [
        'rules',
        agent === undefined
          ? []
          : keywords.map((word) => ({ type: 'keyword', channels: ['chatapp'], keywords: [word], agent, enabled: true })),
      ],
    ]);
  });

/** The account as it is read. The first of the rules was updated last. */
function liveOf(records: ReadonlyMap<KindName, readonly Fields[]>): Live {
  const live = new Map<KindName, LiveRecord[]>(kindNames.map((kind) => [kind, []]));
  for (const [kind, own] of records)
    live.set(
      kind,
      own.map((fields, index) => ({ id: `${kind} ${index}`, fields, row: { id: `${kind} ${index}`, revision: own.length - index } })),
    );
  const rows = new Map([...live].map(([kind, own]) => [kind, own.map(({ row }) => row)]));
  return { account: { id: 'acc', name: 'x' }, bounds: defaultPlan, records: live, rows, channels: null, notes: [] };
}

function filesOf(records: ReadonlyMap<KindName, readonly Fields[]>): Configuration {
  const place = { file: 'x', line: 1, column: 1 };
  const all = [...records].flatMap(([kind, own]) => own.map((fields) => ({ kind, fields, place, placeOf: () => place })));
  return { records: all, kinds: new Set(records.keys()), prune: new Set(records.keys()), notes: [] };
}

it('the plan is empty when the account matches the files', () => {
  fc.assert(
    fc.property(accounts, (account) => {
      const plan = makePlan(filesOf(account), liveOf(account));
      expect([plan.changes, plan.blocked, plan.kept, plan.answers]).toEqual([[], [], [], []]);
    }),
  );
});

it('every change comes after the changes it needs, and no record is created twice', () => {
  fc.assert(
    fc.property(accounts, accounts, (before, after) => {
      const { changes } = makePlan(filesOf(after), liveOf(before));
      for (const { number, needs } of changes) for (const need of needs) expect(need).toBeLessThan(number);
      const deletions = changes.flatMap(({ action, number }) => (action === 'delete' ? [number] : []));
      const writes = changes.flatMap(({ action, number }) => (action === 'delete' ? [] : [number]));
      expect(Math.max(0, ...writes)).toBeLessThan(Math.min(Infinity, ...deletions));
      const created = changes
        .filter(({ action, kind }) => action === 'create' && kind !== 'rules')
        .map(({ kind, name: key }) => `${kind} ${keyOf(kinds[kind], key)}`);
      expect(new Set(created).size).toBe(created.length);
    }),
  );
});

/** Kinds whose keys are texts; `was` changes their `nameField`. */
const renamed: readonly { kind: KindName; keyed: (place: string, text: string) => Fields; nameField: string }[] = [
  { kind: 'tags', keyed: (_, text) => ({ name: text }), nameField: 'name' },
  { kind: 'lists', keyed: (_, text) => ({ name: text }), nameField: 'name' },
  { kind: 'templates', keyed: (place, text) => ({ name: text, language: place, body: text }), nameField: 'name' },
  { kind: 'faqs', keyed: (place, text) => ({ campaign: place, question: text, answer: 'x' }), nameField: 'question' },
];

it.each(renamed)('renames and creations of $kind never take a name that is still in use', ({ kind, keyed, nameField }) => {
  const texts = ['a', 'b', 'c', 'd', 'E'];
  /** For each name in the files: its former name, or undefined for a new record. */
  const wanted = fc
    .uniqueArray(fc.constantFrom(...texts), { minLength: 1 })
    .chain((now) =>
      fc
        .shuffledSubarray(texts, { minLength: now.length, maxLength: now.length })
        .chain((former) =>
          fc
            .array(fc.boolean(), { minLength: now.length, maxLength: now.length })
            .map((isNew) => now.map((text, index) => ({ text, was: isNew[index] ? undefined : former[index] }))),
        ),
    );
  fc.assert(
    fc.property(fc.record({ en: wanted, de: wanted }), (places) => {
      const all = Object.entries(kind === 'tags' || kind === 'lists' ? { en: places.en } : places);
      const live = liveOf(
        new Map<KindName, Fields[]>([
          ['campaigns', all.map(([place]) => ({ name: place }))],
          [kind, all.flatMap(([place, own]) => own.flatMap(({ was }) => (was === undefined ? [] : [keyed(place, was)])))],
        ]),
      );
      const ids = new Map((live.records.get(kind) ?? []).map(({ id, fields }) => [keyOf(kinds[kind], fields), id]));
      const now = new Map([...ids].map(([key, id]) => [id, key]));
      const place = { file: 'x', line: 1, column: 1 };
      const records = all.flatMap(([where, own]) =>
        own.map(({ text, was }) => {
          // The id identifies a record where names alone would be ambiguous.
          const id = was === undefined ? undefined : ids.get(keyOf(kinds[kind], keyed(where, was)));
          return { kind, fields: keyed(where, text), was, id, place, placeOf: () => place };
        }),
      );
      const { changes, blocked } = makePlan({ records, kinds: new Set([kind]), prune: new Set(), notes: [] }, live);
      expect(blocked).toEqual([]);
      for (const { number, action, id, name: key, after } of changes) {
        if (action !== 'create' && action !== 'rename') continue;
        const target = keyOf(kinds[kind], { ...key, ...(after !== null && nameField in after && { [nameField]: after[nameField] }) });
        const holder = [...now].find(([, each]) => each === target)?.[0];
        expect(holder === undefined || holder === id, `change ${number} takes ${target}`).toBe(true);
        now.set(id ?? `new ${number}`, target);
      }
      expect([...now.values()].sort()).toEqual(records.map(({ fields }) => keyOf(kinds[kind], fields)).sort());
    }),
  );
});

it('touching rules restores the order of the file', () => {
  const rule = fc.record({
    keywords: fc.subarray(['a', 'b', 'c'], { minLength: 1 }),
    revision: fc.option(fc.integer({ min: 0, max: 5 })),
    isWritten: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), (drawn) => {
      const rules = drawn.map(({ keywords, revision, isWritten }) => ({
        fields: { type: 'keyword', channels: ['chatapp'], keywords },
        row: revision === null ? undefined : { revision },
        isWritten: isWritten || revision === null,
      }));
      const touched = neededTouches(rules);
      // Writes are made in reverse file order, after all existing revisions.
      const last = rules.map(({ row, isWritten }, index) => (isWritten || touched.includes(index) ? 100 - index : (row?.revision ?? 0)));
      for (const [first, one] of rules.entries())
        for (const [second, other] of rules.entries())
          if (first < second && overlap(one.fields, other.fields)) expect(last[first]).toBeGreaterThan(last[second] ?? 0);
    }),
  );
});

it('a live text is unchanged after it is written to a file and read back', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[${}a]*$/), (text) => {
      const refused: string[] = [];
      const refuse = (variable: string) => void refused.push(variable);
      expect(withVariables(withoutVariables(text), new Map(), { left: 0 }, { used: () => {}, unknown: refuse, tooLong: refuse })).toBe(
        text,
      );
      expect(refused).toEqual([]);
    }),
  );
});

it('normalising is idempotent', () => {
  const hours = { tuesday: [{ start_time: '09:00', end_time: '10:00' }], monday: [] };
  const samples: Partial<Record<KindName, Fields>> = {
    agents: {
      name: 'A',
      availability: hours,
      events: ['b', 'a', 'a'],
      tags: [
        { tag: 'b', description: null },
        { tag: 'a', ai_can_remove: false },
      ],
    },
    events: { name: 'E', availability: hours },
    templates: { name: 'T', language: 'en', body: 'Hello {first_name} [company]' },
    webhooks: { name: 'W', subscribed_to: ['Reads', 'Replies', 'Deliveries'], subscribed_to_tags: ['b', 'a'] },
    defaults: { channel: 'sms', number: '+49 30 123', agent: null },
    rules: { type: 'keyword', channels: ['sms', 'chatapp'], keywords: ['b', 'a'] },
    keys: { label: 'K', expires_at: '2030-01-01' },
  };
  for (const [kind, fields] of Object.entries(samples)) {
    const normalise = kinds[kind as KindName].normalise ?? ((each: Fields) => each);
    expect(normalise(normalise(fields)), kind).toEqual(normalise(fields));
  }
});

/** The plan for records with former names on an account with these live ones. */
function planOf(kind: KindName, records: readonly (Fields & { was?: string })[], live: readonly Fields[]) {
  const others = new Map<KindName, Fields[]>(kind === 'faqs' ? [['campaigns', [{ name: 'C' }]]] : []);
  const files = filesOf(new Map([[kind, records.map(({ was: _, ...fields }) => fields)]]));
  const named = files.records.map((record, index) => ({ ...record, was: records[index]?.was }));
  return makePlan({ ...files, records: named }, liveOf(new Map([...others, [kind, [...live]]])));
}

it.each<[KindName, Fields & { was: string }, Fields]>([
  ['lists', { name: 'new', was: 'old' }, { name: 'old' }],
  ['tags', { name: 'new', was: 'OLD' }, { name: 'old' }],
  ['templates', { name: 'new', language: 'en', body: 'x', was: 'old' }, { name: 'old', language: 'en', body: 'y' }],
  ['faqs', { campaign: 'C', question: 'New?', answer: 'x', was: 'Old?' }, { campaign: 'C', question: 'Old?', answer: 'y' }],
])('%s that may be the former record of a rename are not deleted', (kind, record, live) => {
  const plan = planOf(kind, [record], [live, live]);
  expect([plan.changes, plan.blocked.map(({ reason }) => reason)]).toEqual([[], [expect.stringContaining('there are 2 live')]]);
});

it.each<[string, KindName, (Fields & { was?: string })[], Fields[]]>([
  [
    'with former names in another case',
    'tags',
    [
      { name: 'A', description: 'b', was: 'b' },
      { name: 'B', description: 'a', was: 'a' },
    ],
    [
      { name: 'A', description: 'a' },
      { name: 'B', description: 'b' },
    ],
  ],
  [
    'when other records have the same names',
    'templates',
    [
      { name: 'a', language: 'de', body: 'A' },
      { name: 'b', language: 'de', body: 'B' },
      { name: 'a', language: 'en', body: 'b', was: 'b' },
      { name: 'b', language: 'en', body: 'a', was: 'a' },
    ],
    [
      { name: 'a', language: 'de', body: 'A' },
      { name: 'b', language: 'de', body: 'B' },
      { name: 'a', language: 'en', body: 'a' },
      { name: 'b', language: 'en', body: 'b' },
    ],
  ],
])('two names are swapped %s', (_how, kind, records, live) => {
  expect(planOf(kind, records, live).changes.map(({ action }) => action)).toEqual(['rename', 'rename', 'rename']);
});
