import { describe, expect } from 'vitest';
import { it } from '../../../support/account-test.ts';
import { KnowingAgent, settle } from '../../../support/agents.ts';
import { makeSource } from '../../../support/sources.ts';
import type { TestService } from '../../../support/test-service.ts';
let agent: KnowingAgent;

it.beforeEach(async ({ service }) => {
  agent = await KnowingAgent.make(service);
});

const hold = (service: TestService, ...kinds: string[]) => service.sandbox('POST', '/jobs', { hold: kinds });

const opening = ['When do you open?', 'At nine.'] as const;

describe('indexing a FAQ for search', () => {
  // Proves rules faqs.23, answers.17.
  it('happens in the background; until then the FAQ is not found', async ({ service }) => {
    await hold(service, 'faq_search');
    const [id = ''] = await agent.learn([opening]);
    await settle(service);
    expect(await agent.find('When do you open?')).toEqual([]);
    expect((await service.sandbox('GET', '/jobs')).body.waiting).toEqual({ faq_search: 1 });
    await hold(service);
    await settle(service);
    expect(await agent.find('When do you open?')).toEqual([id]);
    await hold(service, 'faq_search');
    await service.put(`/faqs/${id}`, { answer: 'At ten.' });
    expect(await agent.find('When do you open?')).toEqual([]);
    await hold(service);
    await settle(service);
    expect(await agent.ask('When do you open?')).toMatchObject({ answer: 'At ten.', source: 'faq', faqs: [{ faq_id: id, score: 1 }] });
    await service.put(`/faqs/${id}`, { question: 'Where are you?' });
    await settle(service);
    expect([await agent.find('When do you open?'), await agent.find('Where are you?')]).toEqual([[], [id]]);
  });

  // Proves rules faqs.24, faqs.25.
  it('hides a FAQ at once when it is switched off, unlinked or deleted, and finds it soon after it is linked', async ({ service }) => {
    const [id = ''] = await agent.learn([opening]);
    await settle(service);
    const found = () => agent.find('When do you open?');
    await hold(service, 'faq_search');
    await service.put(`/faqs/${id}`, { is_active: false });
    expect(await found()).toEqual([]);
    await service.put(`/faqs/${id}`, { is_active: true, category: 'Hours' });
    expect(await found()).toEqual([id]);
    expect((await service.post(`/faqs/${id}/rebuild-embeddings`)).body).toEqual({ success: true, faq_id: id, status: 'processing' });
    expect(await found()).toEqual([id]);
    await service.post(`/faqs/${id}/unlink`, { campaign_id: agent.campaign });
    expect(await found()).toEqual([]);
    await hold(service);
    await settle(service);
    await hold(service, 'faq_search');
    await service.post(`/faqs/${id}/link`, { campaign_id: agent.campaign });
    expect(await found()).toEqual([]);
    await hold(service);
    await settle(service);
    expect(await found()).toEqual([id]);
    await service.delete(`/faqs/${id}`);
    expect(await found()).toEqual([]);
    await settle(service);
    expect(await agent.ask('When do you open?')).toMatchObject({ source: 'greeting', faqs: [] });
  });

  // Proves rule faqs.26.
  it('processes many FAQs in one job, some at a time', async ({ service }) => {
    await hold(service, 'faq_search');
    await agent.learn(Array.from({ length: 130 }, (_, index) => [`Question ${index}?`, `Answer ${index}`] as const));
    expect((await service.sandbox('GET', '/jobs')).body.waiting).toEqual({ faq_search: 1 });
    await hold(service);
    const { body } = await service.sandbox('POST', '/settle');
    expect(body.jobs_run).toBe(Math.ceil(131 / 30));
    expect(await agent.ask('question 129')).toMatchObject({ answer: 'Answer 129', source: 'faq' });
  });
});

describe('the knowledge of an agent', () => {
  // Proves rule answers.16.
  it('consists of the current FAQs of its campaigns', async ({ service }) => {
    const other = await KnowingAgent.make(service);
    const [mine, theirs] = [(await agent.learn([opening]))[0], (await other.learn([opening]))[0]];
    await service.post('/faqs', { campaign_id: agent.campaign, question: 'When? Globally?', answer: 'x', is_global: true });
    await settle(service);
    expect((await agent.find('When do you open?'))[0]).toBe(mine);
    expect(await other.find('When do you open?')).toEqual([theirs]);
    await service.put(`/campaigns/${other.campaign}`, { agent_id: agent.id });
    expect(await agent.find('When do you open?')).toEqual(expect.arrayContaining([mine, theirs]));
    expect(await other.find('When do you open?')).toEqual([]);
    await service.put(`/campaigns/${agent.campaign}`, { agent_id: null });
    await service.delete(`/campaigns/${other.campaign}`);
    expect(await agent.ask('When do you open?')).toMatchObject({ source: 'greeting', faqs: [] });
    await settle(service);
  });

  it('has a FAQ of two of its campaigns once', async ({ service }) => {
    const [id = ''] = await agent.learn([opening]);
    const { campaign } = (await service.post('/campaigns', { name: 'x', agent_id: agent.id })).body;
    await service.post(`/faqs/${id}/link`, { campaign_id: campaign.id });
    await settle(service);
    expect((await agent.ask('When do you open?')).faqs).toEqual([
      { faq_id: id, score: 1, source_id: null, url: null, passage: 'At nine.' },
    ]);
  });

  it('includes the FAQs of attached sources', async ({ service }) => {
    const writer = await KnowingAgent.make(service);
    const ids = await writer.learn([opening, ['Where are you?', 'Here.']]);
    const url = 'https://shop.example/hours';
    const source = await makeSource(service, url, ids);
    const further = await makeSource(service, 'https://shop.example/more', ids.slice(0, 1));
    await settle(service);
    expect(await agent.find('When do you open?')).toEqual([]);
    for (const id of [further, source]) await service.post(`/agents/${agent.id}/kb-sources`, { kb_source_id: id });
    expect((await agent.ask('When do you open?')).faqs).toEqual([
      { faq_id: ids[0], score: 1, source_id: source, url, passage: 'At nine.' },
    ]);
    await service.delete(`/agents/${agent.id}/kb-sources/${source}`);
    expect((await agent.ask('When do you open?')).faqs).toEqual([
      { faq_id: ids[0], score: 1, source_id: further, url: 'https://shop.example/more', passage: 'At nine.' },
    ]);
    expect(await agent.find('Where are you?')).toEqual([]);
  });

  it('excludes other accounts, and an agent of another account returns 404', async ({ service }) => {
    await agent.learn([opening]);
    await settle(service);
    const ask = (accountId: string) => service.sandbox('POST', `/accounts/${accountId}/ask`, { agent_id: agent.id, question: 'open?' });
    expect((await ask(service.accountId)).status).toBe(200);
    expect(await ask((await service.makeAccount()).account_id)).toMatchObject({ status: 404, body: { error: 'Agent not found' } });
    expect(await ask('acc_none')).toMatchObject({ status: 404, body: { error: 'Account not found' } });
  });
});

describe('searching with a message', () => {
  it.for([
    // Proves rules answers.23 to answers.27 through the interface.
    ['another case, accents and typos', 'Où est la GARE routière ?', 'ou est la gare routeire'],
    ['a number', 'What about model 4711?', 'modell 4711'],
    ['weak words alone', 'Who are you?', 'who are you'],
    ['Japanese', '営業時間は何時からですか', '営業時間は？'],
    ['a loan word that ends another', 'クレジットカードを紛失したら？', 'カードをなくした'],
    ['a loan word that another begins', 'アプリは？', 'アプリケーションはありますか'],
    ['Korean', '영업시간이 어떻게 되나요?', '영업시간 알려주세요'],
    ['Greek', 'Ποιες είναι οι ώρες λειτουργίας;', 'ωρες λειτουργιας'],
    ['Arabic', 'ما هي ساعات العمل؟', 'ساعات العمل'],
    ['Thai', 'เปิดกี่โมง', 'ร้านเปิดกี่โมงครับ'],
    ['Chinese', '怎么查看我的信用额度？', '信用卡的额度是多少'],
    ['Hindi', 'मेरा खाता कैसे बंद करें?', 'खाते को बंद करना है'],
    ['Vietnamese', 'Tôi bị mất thẻ thì phải làm sao?', 'mất thẻ rồi'],
    ['Vietnamese in a message without accents', 'Tôi bị mất thẻ thì phải làm sao?', 'mat the roi'],
    ['Vietnamese in a question without accents', 'Toi bi mat the thi phai lam sao?', 'mất thẻ rồi'],
    ['Russian', 'Какие у вас часы работы?', 'часы работы магазина'],
  ] as const)('finds the FAQ: %s', async ([_, question, message], { service }) => {
    const [id] = await agent.learn([
      [question, 'The answer'],
      ['Do you sell gift cards?', 'Yes.'],
      ['Can I bring my dog?', 'No.'],
    ]);
    await settle(service);
    expect((await agent.find(message))[0]).toBe(id);
  });

  it('accepts long messages and any characters', async ({ service }) => {
    await agent.learn([opening]);
    await settle(service);
    expect((await agent.ask('x'.repeat(10_000))).source).toBe('handover');
    expect((await agent.ask('open '.repeat(2_000))).source).toBe('faq');
    for (const message of ["'; drop table faqs; --", '%_\\', '"[]{}', '\ud83d\ude42', '\ud83d', '$1 ?1 :1', '\u0000 open'])
      expect(
        (await service.sandbox('POST', `/accounts/${service.accountId}/ask`, { agent_id: agent.id, question: message })).status,
      ).toBeLessThan(500);
  });

  // Proves rule answers.31.
  it('considers only the first words of messages and questions, and the whole of answers', async ({ service }) => {
    const letters = 'bcdfghjklmnpqrtvwxz';
    /** Distinct words that have nothing in common. */
    const words = (count: number, start: string) =>
      Array.from({ length: count }, (_, index) => `${start}${letters[index % 19]}${letters[Math.floor(index / 19)]}ok`).join(' ');
    const [question = '', answer = ''] = await agent.learn([
      [`${words(59, 'ka')} giraffe zeppelin`, 'x'],
      ['Something', `${words(300, 'ma')} walrus kangaroo`],
    ]);
    await settle(service);
    expect([await agent.find('giraffe'), await agent.find('zeppelin')]).toEqual([[question], []]);
    expect([await agent.find('walrus'), await agent.find('kangaroo')]).toEqual([[answer], [answer]]);
    expect(await agent.find(`${words(31, 'pu')} giraffe`)).toEqual([question]);
    expect(await agent.find(`${words(32, 'pu')} giraffe`)).toEqual([]);
  });

  // Proves rule answers.30.
  it('prefers the FAQ that shares more of the message among FAQs with the same words', async ({ service }) => {
    const [without, exact] = await agent.learn([
      ['Open?', 'a'],
      ['When do you open?', 'b'],
      ['Open', 'c'],
    ]);
    await settle(service);
    expect((await agent.find('When do you open?')).slice(0, 2)).toEqual([exact, without]);
  });
});

// Proves rule answers.30.
it.for([
  ['Do you ship from Spain to France?', 'Do you ship from France to Spain?'],
  ['C++ support?', 'C# support?'],
  ['Is A before B?', 'Is B before A?'],
] as const)('a message identical to a question finds that question, not %j', async ([other, asked], { service }) => {
  const [, exact] = await agent.learn([
    [other, 'other'],
    [asked, 'asked'],
  ]);
  await settle(service);
  expect((await agent.find(asked.toUpperCase()))[0]).toBe(exact);
});

// Proves rules answers.25, answers.29.
describe('a question about something else', () => {
  it.for<[string, string]>([
    ['How do I pair the Nova 3 with my hub?', 'How do I pair the Nova 4 with Berlin Hub?'],
    ['How much is a ticket for 2 adults?', 'how much is a ticket for 3 adults'],
    ['Which size is the 10 litre bag?', 'Which size is the 20 litre bag?'],
    ['When is the London store open?', 'When is the Paris store open?'],
    ['What is error E-101?', 'error E-303'],
    ['Who is Anna Schmidt?', 'Who is Peter Weber?'],
    ['When do you open?', 'open positions'],
  ])('than %j is not answered: %j', async ([question, message], { service }) => {
    const agent = await KnowingAgent.make(service, { language: 'en' });
    await agent.learn([
      [question, 'This one.'],
      ['Where do I park?', 'Behind the house.'],
      ['Can I bring my dog?', 'Yes.'],
    ]);
    await settle(service);
    expect((await agent.ask(message)).source).not.toBe('faq');
    expect(await agent.ask(question)).toMatchObject({ source: 'faq', answer: 'This one.' });
  });

  it('may have a number beside what it asks', async ({ service }) => {
    const agent = await KnowingAgent.make(service, { language: 'en' });
    await agent.learn([['How long does delivery to all 27 countries of the union take?', 'A week.']]);
    await settle(service);
    expect(await agent.ask('How long does delivery to a country of the union take for 2 shirts?')).toMatchObject({ answer: 'A week.' });
  });
});

describe('the language of a message', () => {
  // Proves rules answers.23, answers.24: a misspelled word finds the one that is meant, in the language of the FAQs.
  it('is expected to be that of the most FAQs, whatever the language of the agent', async ({ service }) => {
    const [level, children] = await agent.learn([
      ['¿Qué nivel tengo?', 'Hay una prueba de nivel antes de empezar.'],
      ['¿Aceptan niños?', 'Sí, a partir de los seis años.'],
      ['¿Hay clases por la tarde?', 'Sí, de 17 a 21 horas.'],
    ]);
    await settle(service);
    expect(await agent.ask('que nivel tegno')).toMatchObject({ source: 'faq', faqs: [{ faq_id: level }] });
    expect(await agent.ask('aceptan nños')).toMatchObject({ source: 'faq', faqs: [{ faq_id: children }] });
  });

  // Proves rules answers.23, answers.24: "art" is no form of "are" outside of other languages, nor "breach" a misspelling of "reach".
  it.for(['Where can I see art?', 'How can I breach a network?'])('does not give %j the words of others', async (question, { service }) => {
    await agent.learn([
      ["Could you freeze my card? There are payments whose origin I don't see.", 'Yes, in the app.'],
      ['When does a transfer reach my account?', 'After two days.'],
    ]);
    await settle(service);
    expect(await agent.ask(question)).toMatchObject({ source: 'handover' });
  });

  // Proves rule answers.26.
  it('does not count what says nothing in it, though it is rare in the language of a FAQ', async ({ service }) => {
    const [, settings] = await agent.learn([
      ['Visit Los Angeles with Para Gliders Sus', 'We fly every day over the city of the angels.'],
      ['Cambio de la contraseña', 'Se cambia en los ajustes de la cuenta.'],
      ['¿Hay clases por la tarde?', 'Sí, de 17 a 21 horas.'],
      ['¿Aceptan niños?', 'Sí, a partir de los seis años.'],
    ]);
    await settle(service);
    expect((await agent.find('¿Para qué son los ajustes de sus cuentas?'))[0]).toBe(settings);
  });
});

describe('a long answer', () => {
  // Proves rule answers.29.
  it('has what its other passages have of the message', async ({ service }) => {
    const filler = 'The house was built a long time ago, and whoever visits it may look around in all of its rooms. '.repeat(6);
    const answer = `The turbine was delivered by ship. ${filler}The engineer Okafor repaired it in winter. ${filler}`;
    await agent.learn([
      ['History of the mill', answer],
      ['History of the bridge', filler],
    ]);
    await settle(service);
    const { faqs } = await agent.ask('Which engineer repaired the turbine after its long transport?');
    expect(faqs[0]?.score).toBeCloseTo(0.41, 2);
  });
});

describe('searching many FAQs', () => {
  // Proves rule answers.28.
  it('finds FAQs by rare words, and only ranks them by common words', async ({ service }) => {
    const texts = Array.from(
      { length: 1_000 },
      (_, index) => [`How do I clean the machine ${index + 1_000}?`, `With brush ${index}.`] as const,
    );
    const ids = await agent.learn([...texts, ['How do I clean?', 'Thoroughly.'], ['Where is the zebra machine?', 'In the zoo.']]);
    await settle(service);
    expect((await agent.find('clean the machine 1234'))[0]).toBe(ids[234]);
    expect((await agent.find('how do I clean the zebra'))[0]).toBe(ids[1_001]);
    // All words are too common: the FAQs with the shortest questions are read.
    expect((await agent.find('how to clean'))[0]).toBe(ids[1_000]);
    expect(await agent.ask('machine 9999')).toMatchObject({ source: 'handover' });
  });
});

describe('asking an agent', () => {
  // Proves rules sandbox.95, sandbox.96, sandbox.97.
  it('changes nothing, whatever the state of the agent', async ({ service }) => {
    const [id = ''] = await agent.learn([opening]);
    await settle(service);
    await service.patch(`/agents/${agent.id}/active`, { active: false });
    await service.put(`/agents/${agent.id}`, { alert_human_when: 'lawyer, my  boss', max_messages: 1, language: 'fr' });
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 0 });
    for (let time = 0; time < 2; time++) expect(await agent.ask('When do you open?')).toMatchObject({ answer: 'At nine.', source: 'faq' });
    expect(await agent.ask('When do you open? Tell MY BOSS.')).toMatchObject({
      answer: 'Merci pour votre message. Une personne de notre équipe va vous répondre.',
      source: 'handover',
      faqs: [{ faq_id: id }],
    });
    expect((await service.get(`/faqs/${id}`)).body.faq.usage_count).toBe(0);
    expect((await service.get('/users/me/credits')).body.balance).toBe(0);
    expect((await service.get('/chat-sessions')).body.chat_sessions).toEqual([]);
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { own_ai_key: 'failing' });
    expect(await agent.ask('When do you open?')).toMatchObject({ answer: null, source: null, faqs: [{ faq_id: id }] });
  });
});
