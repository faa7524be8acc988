import { describe, expect } from 'vitest';
import { it } from '../../../support/account-test.ts';
import { KnowingAgent, settle } from '../../../support/agents.ts';
import type { TestService } from '../../../support/test-service.ts';

let agent: KnowingAgent;
let ids: string[];

it.beforeEach(async ({ service }) => {
  await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
  agent = await KnowingAgent.make(service);
  await service.put('/entry-points/channel-defaults', { channel: 'chatapp', agent_id: agent.id });
  ids = await agent.learn([
    ['How long does a refund of a subscription take?', 'Ten days.'],
    ['How long does a refund of a voucher take?', 'Never: vouchers are not refunded.'],
    ['Do you deliver on Sundays?', 'No.'],
  ]);
  await settle(service);
});

/** Writes as the contact. @returns the source and the text of the reply */
async function write(service: TestService, text: string): Promise<[string, string]> {
  const { body } = await service.sandbox('POST', `/accounts/${service.accountId}/inbound`, {
    channel: 'chatapp',
    from: '+14155550123',
    text,
  });
  return [body.reply.source, body.reply.body];
}

const question = [
  'clarify',
  'Which of these do you mean? Please reply with its number.\n1. How long does a refund of a voucher take?\n2. How long does a refund of a subscription take?',
];

const usage = async (service: TestService) =>
  await Promise.all(ids.map(async (id) => (await service.get(`/faqs/${id}`)).body.faq.usage_count as number));

describe('a contact whose message fits two FAQs', () => {
  // Proves rules answers.44, answers.45.
  it('is asked which one is meant, and answered when it replies with the number', async ({ service }) => {
    expect(await write(service, 'How long does a refund take?')).toEqual(question);
    expect(await usage(service)).toEqual([0, 0, 0]);
    expect(await write(service, 'Number 1, please')).toEqual(['faq', 'Never: vouchers are not refunded.']);
    expect(await usage(service)).toEqual([0, 1, 0]);
    expect((await write(service, '1'))[0]).toBe('handover');
  });

  it('is answered when its next message clearly means one of them, or something else', async ({ service }) => {
    await write(service, 'How long does a refund take?');
    expect(await write(service, 'the voucher please')).toEqual(['faq', 'Never: vouchers are not refunded.']);
    await write(service, 'How long does a refund take?');
    expect(await write(service, 'Do you deliver on Sundays?')).toEqual(['faq', 'No.']);
  });

  it.for(['Is there a voucher for the cinema in Berlin?', 'is there a cinema voucher in berlin'])(
    'is answered from another FAQ that its next message asks for: %s',
    async (message, { service }) => {
      await agent.learn([['Is there a voucher for the cinema in Berlin?', 'Yes, at the counter.']]);
      await settle(service);
      expect(await write(service, 'How long does a refund take?')).toEqual(question);
      expect(await write(service, message)).toEqual(['faq', 'Yes, at the counter.']);
    },
  );

  it('chooses by the numbers that it was shown, also when one of the FAQs is gone', async ({ service }) => {
    const voucher = ids[1];
    const choose = async (number: string) => {
      await service.put(`/faqs/${voucher}`, { is_active: true });
      await settle(service);
      expect(await write(service, 'How long does a refund take?')).toEqual(question);
      await service.put(`/faqs/${voucher}`, { is_active: false });
      return await write(service, number);
    };
    expect(await choose('2')).toEqual(['faq', 'Ten days.']);
    expect((await choose('1'))[0]).toBe('handover');
  });

  it('gets of a long answer what it asked for, and not the beginning', async ({ service }) => {
    const end = 'A damaged sofa is refunded within a month.';
    const text = (name: string) =>
      `${`The ${name} of the shop are described on this page at length. `.repeat(30)}${end.replace('month', name)}`;
    await agent.learn([
      ['Returns', text('returns')],
      ['Complaints', text('complaints')],
    ]);
    await settle(service);
    expect((await write(service, 'damaged sofa refunded'))[0]).toBe('clarify');
    expect((await write(service, '2'))[1]).toContain('A damaged sofa is refunded within');
    await write(service, 'damaged sofa refunded');
    expect((await write(service, 'complaints'))[1]).toContain('A damaged sofa is refunded within a complaints.');
  });

  // Proves rule answers.46.
  it('is handed over after a second doubt in a row, and after a number when an hour has passed', async ({ service }) => {
    await write(service, 'How long does a refund take?');
    expect((await write(service, 'A refund, how long does it take?'))[0]).toBe('handover');
    const { body } = await service.get('/chat-sessions');
    expect(body.chat_sessions[0]).toMatchObject({ alerted: true });
    expect((await write(service, 'How long does a refund take?'))[0]).toBe('clarify');
    await service.sandbox('POST', '/clock', { frozen: true });
    expect((await service.sandbox('POST', '/clock/advance', { seconds: 3_601 })).status).toBe(200);
    expect((await write(service, '1'))[0]).toBe('handover');
  });

  it('is asked once for a credit, and its choice costs another one', async ({ service }) => {
    const balance = async () => (await service.get('/users/me/credits')).body.balance as number;
    const before = await balance();
    await write(service, 'How long does a refund take?');
    expect(before - (await balance())).toBe(1);
    await write(service, '1');
    expect(before - (await balance())).toBe(2);
  });
});

describe('the question which FAQ is meant', () => {
  // Proves rule answers.44.
  it('shows the beginning of long questions, and is not asked between FAQs with the same question', async ({ service }) => {
    const long = `How long does the delivery of a parcel take${' that is sent by ordinary mail'.repeat(20)}?`;
    await agent.learn([
      [`${long} In summer`, 'A week.'],
      [`${long} In winter`, 'Two weeks.'],
      ['Who made the blue lamp?', 'Ada.'],
      ['Who made the blue lamp?', 'Max.'],
    ]);
    await settle(service);
    const [source, text] = await write(service, `How long does the delivery of a parcel take that is sent by ordinary mail?`);
    expect([
      source,
      text
        .split('\n')
        .slice(1)
        .map((line) => line.length <= 154 && line.endsWith('…')),
    ]).toEqual(['clarify', [true, true]]);
    expect(await write(service, '٢')).toEqual(['faq', expect.stringContaining('week')]);
    expect(await write(service, 'who made the lamp that is blue')).toEqual(['faq', expect.stringMatching(/^(?:Ada|Max)\.$/)]);
  });
});
