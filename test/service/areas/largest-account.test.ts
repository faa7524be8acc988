import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { type EndpointName, endpoints } from '../../../src/contract/endpoints.ts';
import { limits } from '../../../src/contract/limits.ts';
import { weekdays } from '../../../src/contract/time/weekdays.ts';
import { broadcasts } from '../../../src/service/areas/broadcasts/table.ts';
import { contactLists, contactTags } from '../../../src/service/areas/contacts/table.ts';
import { lists } from '../../../src/service/areas/lists/table.ts';
import { tags } from '../../../src/service/areas/tags/table.ts';
import { providerTemplates, templates } from '../../../src/service/areas/templates/table.ts';
import { newId } from '../../../src/service/store/ids.ts';
import { insertMany } from '../../../src/service/store/insert.ts';
import { makeSample, type Sample } from '../../support/samples.ts';
import { TestService } from '../../support/test-service.ts';

// An account that has as much of everything as it can have. Whatever it asks, what it gets and what it causes is bounded.

/** The longest answer, in characters. */
const longest = 16 * 1024 * 1024;

let service: TestService;
const made = { contact: '', agent: '', broadcast: '', template: '', event: '', faq: '' };

const times = { created_at: 0, updated_at: 0 };
const numbered = <Made>(count: number, make: (index: number) => Made) => Array.from({ length: count }, (_, index) => make(index));
/** A text of the greatest length, with a number so that it is unique. */
const text = (length: number, index = 0) => `${index} `.padEnd(length, 'x');

async function makeContacts(): Promise<void> {
  const account_id = service.accountId;
  const rows = numbered(100, (index) => ({ phone_number: `+1415${2_100_000 + index}` }));
  const { contact_ids: ids } = (await service.post('/contacts/import', { contacts: rows })).body;
  made.contact = ids[0];
  await service.write(async (db) => {
    const name = (index: number) => text(limits.nameLength, index);
    const tagRows = numbered(limits.contactTags, (index) => ({
      id: newId('tag'),
      account_id,
      name: name(index),
      folded_name: name(index),
      ...times,
    }));
    const listRows = numbered(limits.contactLists, (index) => ({ id: newId('lst'), account_id, name: name(index), ...times }));
    await insertMany(db, tags, tagRows);
    await insertMany(db, lists, listRows);
    const contacts = await db.selectFrom('contacts').select('seq').where('account_id', '=', account_id).execute();
    for (const { seq } of contacts) {
      await insertMany(
        db,
        contactTags,
        tagRows.map(({ id }) => ({ tag_id: id, contact_seq: seq })),
      );
      await insertMany(
        db,
        contactLists,
        listRows.map(({ id }) => ({ list_id: id, contact_seq: seq })),
      );
    }
  });
}

async function makeRows(): Promise<void> {
  const account_id = service.accountId;
  await service.write(async (db) => {
    const ids = numbered(limits.listContacts, () => newId('con'));
    const content = { account_id, channel: 'chatapp' as const, body: text(4_000), contact_ids: ids, contact_count: ids.length, ...times };
    const sent = numbered(100, (index) => ({ ...content, id: newId('brd'), name: text(limits.nameLength, index) }));
    for (const row of sent) await insertMany(db, broadcasts, [row]);
    made.broadcast = sent[0]?.id ?? '';
    const written = {
      account_id,
      language: 'en',
      status: 'draft' as const,
      type: 'general' as const,
      category: 'marketing' as const,
      ...times,
    };
    const variables = numbered(limits.templateVariables, (index) => `variable_${index}`);
    const own = numbered(limits.templates, (index) => {
      return { ...written, id: newId('tpl'), name: text(limits.nameLength, index), body: text(1_024), variables, submissions: 0 };
    });
    await insertMany(db, templates, own);
    made.template = own[0]?.id ?? '';
    const components = [{ type: 'BODY', text: text(1_024) }];
    const provided = numbered(limits.providerTemplates, (index) => {
      const fields = {
        account_id,
        language: 'en',
        category: 'MARKETING' as const,
        status: 'approved' as const,
        components,
        rejection_reason: null,
      };
      return { ...fields, ...times, id: String(index), name: text(limits.nameLength, index) };
    });
    await insertMany(db, providerTemplates, provided);
  });
}

async function makeAgents(): Promise<void> {
  for (let index = 0; index < limits.maxAgents; index++) {
    const { status, body } = await service.post('/agents', { name: `Agent ${index}`, active: false, instructions: text(500_000, index) });
    expect(status).toBe(201);
    made.agent = body.agent_id;
  }
}

async function makeRules(): Promise<void> {
  const each = limits.allKeywords / limits.entryPoints;
  const reply = text(limits.allRuleTexts / limits.entryPoints);
  for (let index = 0; index < limits.entryPoints; index++) {
    const keywords = numbered(each, (word) => text(limits.nameLength, index * each + word));
    const isComment = index % 2 === 0;
    const matching = isComment
      ? {
          type: 'photo_social_comment',
          channels: ['photo_social'],
          match_config: { keywords, post_ids: numbered(20, (post) => text(200, post)) },
        }
      : { type: 'keyword', channels: ['chatapp', 'photo_social'], match_config: { keywords } };
    const { status } = await service.post(`/agents/${made.agent}/entry-points`, { ...matching, first_response_exact_text: reply });
    expect(status).toBe(201);
  }
}

async function makeWebhooks(): Promise<void> {
  const subscribed_to_tags = numbered(limits.webhookTags, (tag) => text(200, tag).trim());
  for (let index = 0; index < limits.webhooks; index++) {
    const url = `http://127.0.0.1:9/${index}`;
    const { status } = await service.post('/webhooks', { url, name: `hook ${index}`, subscribed_to: ['Task Created'], subscribed_to_tags });
    expect(status).toBe(200);
  }
}

async function makeOthers(): Promise<void> {
  const { campaign } = (await service.post('/campaigns', { name: 'Support' })).body;
  const faqs = numbered(10, (index) => ({
    question: text(10_000, index),
    answer: text(10_000),
    tags: numbered(limits.faqTags, (tag) => text(200, tag)),
  }));
  for (let part = 0; part < 10; part++) {
    const body = { campaign_id: campaign.id, faqs: faqs.map((faq, index) => ({ ...faq, question: text(10_000, part * 10 + index) })) };
    made.faq = (await service.post('/faqs/import', body)).body.faq_ids?.[0];
  }
  const windows = numbered(48, (half) => {
    const time = (at: number) => `${String(Math.floor(at / 2)).padStart(2, '0')}:${at % 2 === 0 ? '00' : '30'}`;
    return { start_time: time(half), end_time: half === 47 ? '23:59' : time(half + 1) };
  });
  const availability = Object.fromEntries(weekdays.map((day) => [day, windows]));
  for (let index = 0; index < 100; index++) {
    const rooms = numbered(200, (room) => text(200, room));
    const { status, body } = await service.post('/events', { name: `Event ${index}`, availability, rooms, slot_minutes: 30 });
    expect(status).toBe(201);
    made.event = body.event.id;
    await service.post('/tasks', { title: `Task ${index}`, description: text(10_000) });
  }
}

beforeAll(async () => {
  service = await TestService.open();
  await service.freshAccount({ kind: 'agency' });
  await service.sandbox('PATCH', `/accounts/${service.accountId}`, { template_provider: 'own_account' });
  for (const [channel, identity] of [
    ['chatapp', '+14155550100'],
    ['photo_social', 'shop'],
  ])
    await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel, identity });
  await makeContacts();
  await makeRows();
  await makeAgents();
  await makeRules();
  await makeWebhooks();
  await service.sandbox('POST', '/jobs', { hold: 'all' });
  await makeOthers();
}, 240_000);

afterAll(() => service.close());

/** The parameters of the endpoints that read one of the largest records. */
const paramsOf: Partial<Record<EndpointName, () => Record<string, string>>> = {
  'contacts.get': () => ({ id: made.contact }),
  'broadcasts.get': () => ({ id: made.broadcast }),
  'broadcasts.contacts': () => ({ id: made.broadcast }),
  'agents.get': () => ({ agentId: made.agent }),
  'routing.listRules': () => ({ agentId: made.agent }),
  'functions.ofAgent': () => ({ agentId: made.agent }),
  'toolServers.ofAgent': () => ({ agentId: made.agent }),
  'media.list': () => ({ agentId: made.agent }),
  'templates.get': () => ({ templateId: made.template }),
  'templates.status': () => ({ templateId: made.template }),
  'webhooks.health': () => ({ webhookId: '1' }),
  'webhooks.deliveries.list': () => ({ webhookId: '1' }),
  'webhooks.getSigningSecret': () => ({ webhookId: '1' }),
  'events.get': () => ({ id: made.event }),
  'faqs.get': () => ({ faqId: made.faq }),
};

/** Single records, which are not larger on a large account, and cannot be made while jobs are held. */
const single: readonly string[] = ['webhooks.deliveries.get', 'webhooks.replays.get'];

// A stream begins with what happens after it was opened, and a file is read part by part.
const reads = (endpoints as readonly Endpoint[]).filter(
  ({ name, method, access, isStream, isFile }) =>
    method === 'GET' &&
    isStream !== true &&
    isFile !== true &&
    !single.includes(name) &&
    (access === 'account' || access === 'any' || access === 'owner'),
);

describe('an account with as much of everything as it can have', () => {
  it.each(reads.map((spec) => [spec.name, spec] as const))('%s answers with a bounded number of rows and bytes', async (name, spec) => {
    const params = paramsOf[name as EndpointName]?.();
    const sample: Sample = params ? { params } : await makeSample(service, service.key, name);
    const path = spec.path.replace(/\{(\w+)\}/g, (_, param: string) => sample.params?.[param] ?? '');
    const query = new URLSearchParams({ ...sample.query, ...(spec.rows !== undefined && { limit: '100' }) });
    const { status, body } = await service.get(`${path}?${query.toString()}`);
    expect([status, body.success]).toEqual([200, true]);
    if (spec.rows !== undefined) expect(body[spec.rows].length).toBeLessThanOrEqual(limits.pageSizeMax);
    expect(JSON.stringify(body).length).toBeLessThan(longest);
  });

  // Proves rule webhooks.110.
  it('causes at most one delivery for each webhook with an event', async () => {
    const waiting = async () => (await service.sandbox('GET', '/jobs')).body.waiting.webhook_delivery ?? 0;
    const before = await waiting();
    expect((await service.post('/tasks', { title: 'One more' })).status).toBe(201);
    expect((await waiting()) - before).toBe(limits.webhooks);
  });

  it('compares a message and a comment with all rules', async () => {
    const path = `/accounts/${service.accountId}`;
    const message = { channel: 'chatapp', from: '+14155550199', text: text(limits.nameLength, 19_999) };
    expect((await service.sandbox('POST', `${path}/inbound`, message)).body.decision.step).toBe('rule');
    const unknown = { ...message, from: '+14155550198', text: 'y'.repeat(limits.nameLength) };
    expect((await service.sandbox('POST', `${path}/inbound`, unknown)).body.decision.step).not.toBe('rule');
    const comment = {
      channel: 'photo_social',
      post_id: text(200, 3).trim(),
      from: 'fan',
      text: `${'word '.repeat(1_900)}${text(200, 40)}`,
    };
    const { status, body } = await service.sandbox('POST', `${path}/comments`, comment);
    expect([status, body.decision?.step]).toEqual([201, 'rule']);
  });
});

// Proves rule conventions.83.
describe('beyond what an account can have, nothing is changed', () => {
  it.each([
    [
      'an entry point',
      () =>
        service.post(`/agents/${made.agent}/entry-points`, { type: 'keyword', channels: ['chatapp'], match_config: { keywords: ['one'] } }),
      '1,000 entry points',
    ],
    ['a default', () => service.put('/entry-points/channel-defaults', { channel: 'chatapp', agent_id: made.agent }), '1,000 entry points'],
    ['a webhook', () => service.post('/webhooks', { url: 'http://127.0.0.1:9/', subscribed_to: ['Replies'] }), '200 webhooks'],
    ['a template', () => service.post('/chatapp-templates/docs', { name: 'x', language: 'en', body: 'x' }), '1,000 templates'],
    ['a tag of a contact', () => service.post(`/contacts/${made.contact}/tags`, { name: 'one more' }), '200 tags'],
    ['an agent', () => service.post('/agents', { name: 'One more' }), '20'],
  ] as const)('%s', async (_what, ask, says) => {
    const counts = () =>
      service.write(async (db) => {
        const tables = ['entry_points', 'webhooks', 'templates', 'tags', 'contact_tags', 'agents'] as const;
        const count = async (table: (typeof tables)[number]) =>
          (
            await db
              .selectFrom(table)
              .select((eb) => eb.fn.countAll<number>().as('count'))
              .executeTakeFirstOrThrow()
          ).count;
        const found: number[] = [];
        for (const table of tables) found.push(await count(table));
        return found;
      });
    const before = await counts();
    const { status, body } = await ask();
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body.error).toContain(says);
    expect(await counts()).toEqual(before);
  });

  it('a list of contacts', async () => {
    const { list } = (await service.post('/lists', { name: 'one more' })).body;
    const fresh = (await service.post('/contacts', { phone_number: '+14155550177' })).body.contact.id as string;
    const { status, body } = await service.post(`/lists/${list.id}/contacts`, { contact_ids: [fresh, made.contact] });
    expect([status, body.error]).toEqual([
      400,
      `contact_ids: the contact ${made.contact} is on 500 lists, as many as it can be on: remove it from one first`,
    ]);
    expect((await service.get(`/contacts?list_id=${list.id}`)).body.contacts).toEqual([]);
    const other = (await service.get(`/contacts/${made.contact}`)).body.contact.list_ids[0] as string;
    expect((await service.post(`/lists/${other}/contacts`, { contact_ids: [fresh, made.contact] })).status).toBe(200);
  });

  it('keywords of all entry points, also by an update, which may still change and take away', async () => {
    const [rule] = (await service.get(`/agents/${made.agent}/entry-points`)).body.entry_points as {
      id: string;
      match_config: { keywords: string[] };
    }[];
    const keywords = rule?.match_config.keywords ?? [];
    const refused = await service.put(`/entry-points/${rule?.id}`, { 'match_config.keywords': [...keywords, 'one more'] });
    expect([refused.status, refused.body.error]).toEqual([
      400,
      'match_config.keywords: all entry points of an account have at most 20,000 keywords together: remove some first',
    ]);
    expect((await service.put(`/entry-points/${rule?.id}`, { 'match_config.keywords': ['other', ...keywords.slice(1)] })).status).toBe(200);
    expect((await service.put(`/entry-points/${rule?.id}`, { 'match_config.keywords': keywords.slice(1) })).status).toBe(200);
  });
});
