import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { KnowingAgent, settle } from '../../../support/agents.ts';
import { isLongSweep } from '../../../support/sweeps.ts';
import { TestService } from '../../../support/test-service.ts';
import { until } from '../../../support/until.ts';

/** Words that mean the same have the same place in a vector. */
const meanings = [
  ['parcel', 'package', 'shipment'],
  ['where', 'track', 'follow'],
  ['refund', 'reimbursed', 'back'],
  ['money', 'payment'],
  ['open', 'hours', 'closed'],
  ['dog', 'pet', 'puppy'],
];

function vectorOf(text: string): number[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  return [0.05, ...meanings.map((same) => words.filter((word) => same.includes(word)).length)];
}

let server: Server;
let requests: { path: string; model: string; input: string[]; authorization: string | undefined }[] = [];
/** What `/embeddings` answers instead of vectors. */
let failing: number | null = null;
/** The texts that it refuses. */
let refused = /^$/;
/** What it answers instead of each vector. */
let instead: unknown[] | null = null;
/** Runs before the next answer of `/embeddings`. */
let meanwhile: (() => Promise<void>) | null = null;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const body = JSON.parse(text) as { model: string; input?: string[] };
  const send = (content: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(content));
  if (!request.url?.endsWith('/embeddings'))
    return void send({ choices: [{ message: { content: 'Let me see.' }, finish_reason: 'stop' }] });
  const input = body.input ?? [];
  requests.push({ path: request.url, model: body.model, input, authorization: request.headers.authorization });
  const before = meanwhile;
  meanwhile = null;
  await before?.();
  if (failing !== null) return void response.writeHead(failing).end();
  if (input.some((each) => refused.test(each))) return void response.writeHead(400).end();
  send({ data: input.map((each, index) => ({ index, embedding: instead ?? vectorOf(each) })).reverse() });
}

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});

afterAll(() => void server.close());

let service: TestService;

afterEach(async () => {
  failing = null;
  refused = /^$/;
  instead = null;
  requests = [];
  await service.close();
});

function settingsOf(embeddingModel: string | null, timeout = 2_000) {
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const models = { economy: 'chat', mini: 'chat', standard: 'chat', max: 'chat' };
  return { baseUrl, apiKey: 'sk-meaning', models, embeddingModel, firstRetry: 1, timeout };
}

async function open(embeddingModel: string | null = 'meaning-1', timeout?: number): Promise<TestService> {
  service = await TestService.open({ model: settingsOf(embeddingModel, timeout) });
  return service;
}

const faqs = [
  ['Can I track my parcel?', 'Yes, with the link in our email.'],
  ['When do I get my refund?', 'After ten days.'],
  ['Can I bring my dog?', 'Yes.'],
] as const;

describe('a model for embeddings', () => {
  // Proves rules answers.47, answers.49.
  it('finds FAQs by their meaning, with vectors that the jobs prepare', async () => {
    const agent = await KnowingAgent.make(await open());
    const ids = await agent.learn(faqs);
    await settle(service);
    expect(requests).toEqual([
      {
        path: '/v1/embeddings',
        model: 'meaning-1',
        authorization: 'Bearer sk-meaning',
        input: faqs.map(([question, text]) => `${question}\n${text}`),
      },
    ]);
    const found = await agent.ask('where is the shipment');
    expect([found.source, found.faqs[0]?.faq_id, found.faqs[0]?.score]).toEqual(['model', ids[0], expect.closeTo(1, 2)]);
    expect((await agent.find('puppy'))[0]).toBe(ids[2]);
    expect((await service.get('/users/me/credits')).body.balance).toBe(1_000);
  });

  // Proves rules answers.47, serve.64.
  it('decides what the built-in rules answer, when no model writes', async () => {
    service = await TestService.open({ model: { ...settingsOf('meaning-1'), models: null } });
    const agent = await KnowingAgent.make(service);
    const ids = await agent.learn([...faqs, ['Is there a staff calendar for the dog of the month?', 'At the door.']]);
    await settle(service);
    const found = await agent.ask('where is the shipment');
    expect([found.source, found.answer, found.faqs[0]?.faq_id]).toEqual(['faq', 'Yes, with the link in our email.', ids[0]]);
    // A word that another FAQ has does not outrank what is meant.
    expect(await agent.ask('reimbursed on which calendar')).toMatchObject({ source: 'faq', answer: 'After ten days.' });
    expect((await agent.ask('puppy')).source).toBe('clarify');
    expect((await agent.ask('Can I bring my dog?')).answer).toBe('Yes.');
  });

  it('asks which FAQ is meant when two mean it, also when a word finds a third one', async () => {
    service = await TestService.open({ model: { ...settingsOf('meaning-1'), models: null } });
    const agent = await KnowingAgent.make(service);
    await agent.learn([
      ['dog garden', 'Nine.'],
      ['pet garden', 'Twelve.'],
      ['Is there music for tables?', 'No.'],
    ]);
    await settle(service);
    const found = await agent.ask('puppy music');
    expect(found.source).toBe('clarify');
    expect(found.answer).toContain('dog garden');
    expect(found.answer).toContain('pet garden');
  });

  it('finds active FAQs beside any number of inactive ones that are nearer', async () => {
    service = await TestService.open({ model: { ...settingsOf('meaning-1'), models: null } });
    const agent = await KnowingAgent.make(service);
    await agent.learn(
      Array.from({ length: 30 }, (_, index) => [`dog ${index}`, 'Draft.'] as const),
      { is_active: false },
    );
    const [id] = await agent.learn([['Can I bring my pet?', 'Yes.']]);
    await settle(service);
    expect((await agent.ask('puppy')).faqs.map(({ faq_id: each }) => each)).toEqual([id]);
  });

  // Proves rule answers.48.
  it('embeds all texts but those that the model refuses, and asks for these once', async () => {
    const agent = await KnowingAgent.make(await open('meaning-1', 20_000));
    refused = /code (?:3|17|44)\?/;
    const many = Array.from({ length: 50 }, (_, index) => [`What is the code ${index}? A dog`, `It is ${index * 7}.`] as const);
    await agent.learn(many);
    await settle(service);
    const ofJobs = requests.length;
    await settle(service);
    expect(requests).toHaveLength(ofJobs);
    expect(service.errors).toEqual([]);
    const accepting = requests.filter(({ input }) => !input.some((each) => refused.test(each)));
    const embedded = accepting.flatMap(({ input }) => input).filter((each) => each.includes('\n'));
    const accepted = many.map(([question, text]) => `${question}\n${text}`).filter((each) => !refused.test(each));
    expect(embedded.toSorted()).toEqual(accepted.toSorted());
  });

  it('asks once for the only text that the model refuses', async () => {
    const agent = await KnowingAgent.make(await open());
    refused = /dog/;
    await agent.learn([faqs[2]]);
    await settle(service);
    const { waiting } = (await service.sandbox('GET', '/jobs')).body;
    expect([waiting, service.errors]).toEqual([{}, []]);
  });

  it('tries again when the model refuses every text', async () => {
    const agent = await KnowingAgent.make(await open());
    await service.sandbox('POST', '/clock', { frozen: true });
    refused = /./;
    const ids = await agent.learn(faqs);
    await settleWithErrors();
    refused = /^$/;
    await service.sandbox('POST', '/clock/advance', { seconds: 61 });
    expect((await agent.find('puppy'))[0]).toBe(ids[2]);
  });

  // Proves rule answers.50.
  it.each([
    ['null', [null, null]],
    ['zeros', [0, 0, 0]],
    ['words', ['a', 'b']],
  ])('lets words decide when a vector is of %s', async (_, vector) => {
    const agent = await KnowingAgent.make(await open());
    const ids = await agent.learn(faqs);
    await settle(service);
    instead = vector;
    expect((await agent.ask('track a parcel')).faqs[0]).toMatchObject({ faq_id: ids[0], score: 1 });
    expect(service.errors.splice(0)).toHaveLength(1);
  });

  it('finds by words alone without it, and embeds nothing', async () => {
    const agent = await KnowingAgent.make(await open(null));
    await agent.learn(faqs);
    await settle(service);
    expect([await agent.find('puppy'), requests]).toEqual([[], []]);
  });

  // Proves rule answers.50.
  it('lets words decide when it fails, with one warning in a minute', async () => {
    const agent = await KnowingAgent.make(await open());
    const ids = await agent.learn(faqs);
    await settle(service);
    failing = 500;
    expect((await agent.find('Can I track my parcel?'))[0]).toBe(ids[0]);
    expect(await agent.find('puppy')).toEqual([]);
    expect(service.errors.splice(0).map(String)).toEqual([
      'Warning: FAQs are found by their words alone, because meaning-1 has no vectors: The model answered with the status 500',
    ]);
  });

  // Proves rules answers.48, faqs.25.
  it('embeds what changed, and again what is rebuilt', async () => {
    const agent = await KnowingAgent.make(await open());
    const [id = ''] = await agent.learn(faqs);
    await settle(service);
    await service.put(`/faqs/${id}`, { answer: 'Not yet.' });
    await settle(service);
    await service.post(`/faqs/${id}/rebuild-embeddings`);
    await settle(service);
    const again = ['Can I track my parcel?\nNot yet.'];
    expect(requests.slice(1).map(({ input }) => input)).toEqual([again, again]);
  });

  it('keeps the vectors of a FAQ that is linked elsewhere', async () => {
    const agent = await KnowingAgent.make(await open());
    const other = await KnowingAgent.make(service);
    const [id = ''] = await agent.learn(faqs);
    await settle(service);
    await service.post(`/faqs/${id}/link`, { campaign_id: other.campaign });
    await settle(service);
    expect((await other.find('shipment'))[0]).toBe(id);
    expect(requests.slice(1).map(({ input }) => input)).toEqual([['shipment']]);
  });

  it('embeds what is created while other FAQs are embedded', async () => {
    const agent = await KnowingAgent.make(await open('meaning-1', 20_000));
    await agent.learn([faqs[0]]);
    const created = new Promise<string>((done) => {
      meanwhile = async () => {
        const [id = ''] = await agent.learn([faqs[2]]);
        await until(async () => (await agent.find('Can I bring my dog?')).includes(id));
        done(id);
      };
    });
    await settle(service);
    const id = await created;
    await settle(service);
    expect((await agent.find('puppy'))[0]).toBe(id);
  });

  // Proves rule answers.48.
  it('embeds each of many FAQs once, and what was changed before the place where it is', async () => {
    const agent = await KnowingAgent.make(await open('meaning-1', 20_000));
    const many = Array.from({ length: 45 }, (_, index) => [`What is the code ${index}?`, `It is ${index * 7}.`] as const);
    const changed = new Promise<void>((done) => {
      // While the second twenty are embedded, the first FAQ changes.
      meanwhile = async () => {
        meanwhile = async () => {
          await service.put(`/faqs/${id}`, { answer: 'It is secret.' });
          await until(async () => (await agent.find('secret')).includes(id));
          done();
        };
      };
    });
    const [id = ''] = await agent.learn(many);
    await settle(service);
    await changed;
    await settle(service);
    const embedded = requests.flatMap(({ input }) => input).filter((text) => text.includes('\n'));
    expect(embedded).toEqual([...many.map(([question, text]) => `${question}\n${text}`), 'What is the code 0?\nIt is secret.']);
  });

  // Proves rule answers.49.
  it.runIf(isLongSweep)('ranks what the words find when an agent has more than 5,000 passages', { timeout: 240_000 }, async () => {
    const agent = await KnowingAgent.make(await open('meaning-1', 20_000));
    await service.liftLimits();
    const many = Array.from({ length: 5_001 }, (_, index) => [`What is the code ${index}?`, `It is ${index * 7}.`] as const);
    const [track, , dog] = await agent.learn([...faqs, ...many]);
    await settle(service);
    const [best] = (await agent.ask('follow the parcel')).faqs;
    // The score is the cosine: "track" means "follow".
    expect([best?.faq_id, best?.score]).toEqual([track, expect.closeTo(1, 2)]);
    expect(await agent.find('puppy')).not.toContain(dog);
  });

  it('embeds what there is when a process begins to use another model, and nothing when it starts with the same one', async () => {
    const agent = await KnowingAgent.make(await open(null));
    await agent.learn(faqs);
    await settle(service);
    const texts = faqs.map(([question, text]) => `${question}\n${text}`);
    const embedded = async (model: string | null) => {
      requests = [];
      const other = await TestService.on(service.database, { model: settingsOf(model) }, service);
      const { waiting } = (await other.sandbox('GET', '/jobs')).body;
      await settle(other);
      await other.service.close();
      return [waiting, requests.map(({ model: used, input }) => [used, input])];
    };
    expect(await embedded('meaning-1')).toEqual([{ faq_search: 1 }, [['meaning-1', texts]]]);
    expect(await embedded('meaning-1')).toEqual([{}, []]);
    expect(await embedded('meaning-2')).toEqual([{ faq_search: 1 }, [['meaning-2', texts]]]);
  });

  it('embeds the FAQs of an account when a failure is over', async () => {
    const agent = await KnowingAgent.make(await open());
    await service.sandbox('POST', '/clock', { frozen: true });
    failing = 503;
    const ids = await agent.learn(faqs);
    await settleWithErrors();
    failing = null;
    await service.sandbox('POST', '/clock/advance', { seconds: 61 });
    expect((await agent.find('puppy'))[0]).toBe(ids[2]);
  });
});

async function settleWithErrors(): Promise<void> {
  expect((await service.sandbox('POST', '/settle')).status).toBe(200);
  expect(service.errors.splice(0)).toHaveLength(1);
}
