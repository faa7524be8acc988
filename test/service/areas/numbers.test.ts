import { describe, expect } from 'vitest';
import { it } from '../../support/account-test.ts';
import type { TestService } from '../../support/test-service.ts';

const number = '+14155550100';
const path = `/phone-numbers/${encodeURIComponent(number)}`;

async function connect(service: TestService, channel: string, identity: string): Promise<void> {
  expect((await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel, identity })).status).toBe(201);
}

const list = async (service: TestService, query = '') => (await service.get(`/phone-numbers${query}`)).body;
const get = async (service: TestService, at = path) => (await service.get(at)).body.phone_number;

async function makeAgent(service: TestService, name: string): Promise<string> {
  return (await service.post('/agents', { name })).body.agent_id as string;
}

const setDefault = async (service: TestService, body: object) =>
  expect((await service.put('/entry-points/channel-defaults', body)).status).toBe(200);

describe('the own phone numbers', () => {
  // Proves rules numbers.1, numbers.2.
  it('are those of all channels, disconnected ones too, newest first', async ({ service }) => {
    await connect(service, 'chatapp', number);
    await connect(service, 'photo_social', 'shop.example');
    await connect(service, 'sms', '+4930123456');
    await connect(service, 'chatapp_web', number);
    expect((await service.delete(`/channels/chatapp-web/connections/${encodeURIComponent(number)}`)).status).toBe(200);
    const { phone_numbers: numbers, next_cursor } = await list(service);
    expect(next_cursor).toBeNull();
    const connected = { connected_at: expect.any(String) as string };
    expect(numbers).toEqual([
      {
        number: '+4930123456',
        label: null,
        country: 'DE',
        channels: [{ channel: 'sms', status: 'connected', ...connected }],
        default_agents: [{ channel: 'sms', agent_id: null }],
        messages_30d: { sent: 0, received: 0 },
      },
      {
        number,
        label: null,
        country: 'US',
        channels: [
          { channel: 'chatapp', status: 'connected', ...connected },
          { channel: 'chatapp_web', status: 'disconnected', ...connected },
        ],
        default_agents: [
          { channel: 'chatapp', agent_id: null },
          { channel: 'chatapp_web', agent_id: null },
        ],
        messages_30d: { sent: 0, received: 0 },
      },
    ]);
    const first = await list(service, '?limit=1');
    expect(first.phone_numbers.map((each: { number: string }) => each.number)).toEqual(['+4930123456']);
    const rest = await list(service, `?limit=1&cursor=${first.next_cursor}`);
    expect([rest.phone_numbers, rest.next_cursor]).toEqual([[numbers[1]], null]);
  });

  // Proves rule numbers.3.
  it('are found as people write them, and those of others are not', async ({ service }) => {
    await connect(service, 'chatapp', number);
    await connect(service, 'sms', '+525512345678');
    for (const written of [number, '14155550100', '+1 (415) 555-0100'])
      expect((await get(service, `/phone-numbers/${encodeURIComponent(written)}`)).number).toBe(number);
    // Mexico had a 1 after its country code.
    expect((await get(service, '/phone-numbers/5215512345678')).number).toBe('+525512345678');
    const other = await service.makeAccount();
    for (const [at, key] of [
      ['/phone-numbers/%2B14155550199', service.key],
      [path, other.api_key],
    ] as const) {
      const { status, body } = await service.get(at, { key });
      expect([status, body.reason]).toEqual([404, 'phone_number_not_found']);
      expect((await service.put(at, { label: 'x' }, { key })).status).toBe(404);
    }
    for (const text of ['shop', '%2B12']) expect((await service.get(`/phone-numbers/${text}`)).status).toBe(404);
  });

  // Proves rule numbers.4.
  it('have labels, which stay while a number is disconnected', async ({ service }) => {
    await connect(service, 'chatapp_web', number);
    expect((await service.put(path, { label: 'Front desk' })).body.phone_number).toMatchObject({ number, label: 'Front desk' });
    await service.delete(`/channels/chatapp-web/connections/${encodeURIComponent(number)}`);
    expect((await get(service)).label).toBe('Front desk');
    expect((await service.put(path, { label: 'Back office' })).body.phone_number.label).toBe('Back office');
    expect((await service.put(path, { label: null })).body.phone_number.label).toBeNull();
    expect((await service.put(path, {})).body.error).toBe('No fields to update');
    expect((await service.put(path, { label: 'x'.repeat(200) })).status).toBe(200);
    expect((await service.put(path, { label: 'x'.repeat(201) })).body.field).toBe('label');
    expect((await service.put(path, { label: 'x' }, { key: await service.signIn(['team.edit']) })).status).toBe(403);
    expect((await service.put(path, { label: 'x' }, { key: await service.signIn(['integrations.edit']) })).status).toBe(200);
  });

  // Proves rule numbers.6.
  it('show who answers: the default of the number, else that of the channel', async ({ service }) => {
    await connect(service, 'chatapp', number);
    await connect(service, 'sms', number);
    await connect(service, 'chatapp', '+14155550101');
    const [ada, ben] = [await makeAgent(service, 'Ada'), await makeAgent(service, 'Ben')];
    await setDefault(service, { channel: 'chatapp', agent_id: ada });
    await setDefault(service, { channel: 'chatapp', agent_id: ben, phone_number: number });
    const agents = async () => {
      const { phone_numbers: numbers } = await list(service);
      return numbers.map(({ default_agents: defaults }: { default_agents: { channel: string; agent_id: string | null }[] }) =>
        defaults.map(({ channel, agent_id }) => [channel, agent_id]),
      );
    };
    expect(await agents()).toEqual([
      [['chatapp', ada]],
      [
        ['chatapp', ben],
        ['sms', null],
      ],
    ]);
    // Nobody answers on the number, whatever the channel says.
    await setDefault(service, { channel: 'chatapp', agent_id: '', phone_number: number });
    expect((await agents())[1][0]).toEqual(['chatapp', null]);
    const scope = `?channel=chatapp&phone_number=${encodeURIComponent(number)}`;
    expect((await service.delete(`/entry-points/channel-defaults${scope}`)).status).toBe(200);
    expect((await agents())[1][0]).toEqual(['chatapp', ada]);
  });

  // Proves rule numbers.5.
  it('count what they sent and received in 30 days, today included', async ({ service }) => {
    await connect(service, 'chatapp', number);
    await connect(service, 'sms', number);
    await connect(service, 'sms', '+14155550101');
    const write = async (channel: string, to: string) =>
      expect(
        (
          await service.sandbox('POST', `/accounts/${service.accountId}/inbound`, {
            channel,
            from: '+14155550123',
            to,
            text: 'Hello',
          })
        ).status,
      ).toBe(201);
    await write('chatapp', number);
    await write('sms', number);
    await write('sms', '+14155550101');
    await service.sandbox('POST', '/clock', { frozen: true });
    expect((await service.post('/contacts/send', { channel: 'chatapp', phone_number: '+14155550123', body: 'Hi' })).status).toBe(201);
    const counts = async () => {
      const { phone_numbers: numbers } = await list(service);
      return numbers.map(({ messages_30d: messages }: { messages_30d: object }) => messages);
    };
    expect(await counts()).toEqual([
      { sent: 0, received: 1 },
      { sent: 1, received: 2 },
    ]);
    await service.sandbox('POST', '/clock/advance', { seconds: 29 * 86_400 });
    expect((await counts())[1]).toEqual({ sent: 1, received: 2 });
    await service.sandbox('POST', '/clock/advance', { seconds: 86_400 });
    expect((await counts())[1]).toEqual({ sent: 0, received: 0 });
    expect((await get(service)).messages_30d).toEqual({ sent: 0, received: 0 });
  });
});
