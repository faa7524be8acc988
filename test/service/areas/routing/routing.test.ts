import { describe, expect } from 'vitest';
import { it } from '../../../support/account-test.ts';
import { epoch, TestService } from '../../../support/test-service.ts';

const shop = '+14155550100';
const branch = '+14155550101';

let numbers = 2_000_000;
const number = () => `+1415${++numbers}`;

async function agent(service: TestService, body: Record<string, unknown> = {}): Promise<string> {
  return (await service.post('/agents', { name: 'Ada', ...body })).body.agent_id as string;
}

async function connect(service: TestService, channel: string, identity: string): Promise<void> {
  expect((await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel, identity })).status).toBe(201);
}

async function rule(service: TestService, agentId: string, body: Record<string, unknown>): Promise<string> {
  const answer = await service.post(`/agents/${agentId}/entry-points`, body);
  expect(answer.body).toMatchObject({ success: true });
  expect(answer.status).toBe(201);
  return answer.body.entry_point_id as string;
}

const keyword = (service: TestService, agentId: string, keywords: string[], more: Record<string, unknown> = {}) =>
  rule(service, agentId, { type: 'keyword', channels: ['chatapp'], match_config: { keywords, ...more } });

async function setDefault(service: TestService, agentId: string, more: Record<string, unknown> = {}) {
  const answer = await service.put('/entry-points/channel-defaults', { channel: 'chatapp', agent_id: agentId, ...more });
  expect(answer.status).toBe(200);
  return answer.body as { entry_point_id: string; disabled_entry_point_ids: string[] };
}

const defaults = async (service: TestService) => (await service.get('/entry-points/channel-defaults')).body.entry_points;

const rules = async (service: TestService, agentId: string) => (await service.get(`/agents/${agentId}/entry-points`)).body.entry_points;

async function write(service: TestService, text: string, more: Record<string, unknown> = {}) {
  const answer = await service.sandbox('POST', `/accounts/${service.accountId}/inbound`, {
    channel: 'chatapp',
    from: number(),
    text,
    ...more,
  });
  expect(answer.status).toBe(201);
  return answer.body;
}

async function decision(service: TestService, text: string, more: Record<string, unknown> = {}) {
  const { step, agent_id, entry_point_id } = (await write(service, text, more)).decision;
  return { step, agent_id, entry_point_id };
}

describe('a channel default', () => {
  // Proves rules routing.1, routing.2, routing.11.
  it('replaces the previous one, which stays listed as retired', async ({ service }) => {
    const [one, two] = [await agent(service), await agent(service)];
    const first = await setDefault(service, one);
    expect(first).toEqual({ success: true, entry_point_id: expect.stringMatching(/^ent_/), disabled_entry_point_ids: [] });
    expect(await setDefault(service, one)).toEqual(first);
    const second = await setDefault(service, two);
    expect(second.disabled_entry_point_ids).toEqual([first.entry_point_id]);
    expect(await defaults(service)).toEqual([
      {
        id: second.entry_point_id,
        type: 'channel_default',
        channels: ['chatapp'],
        agent_id: two,
        enabled: true,
        match_config: {},
        first_response_mode: 'ai',
        first_response_exact_text: null,
        public_comment_reply_exact_text: null,
        revision: 2,
        created_at: epoch,
        last_modified_at: epoch,
      },
      expect.objectContaining({ id: first.entry_point_id, enabled: false, agent_id: one }),
    ]);
    expect(await decision(service, 'hello')).toEqual({ step: 'channel_default', agent_id: two, entry_point_id: second.entry_point_id });
  });

  // Proves rules routing.3, routing.33.
  it('can be set to nobody', async ({ service }) => {
    await agent(service);
    const { entry_point_id } = await setDefault(service, '');
    expect(await decision(service, 'hello')).toEqual({ step: 'channel_default', agent_id: null, entry_point_id });
    for (const body of [
      { channel: 'chatapp' },
      { channel: 'chatapp', agent_id: null },
      { agent_id: '' },
      { agent_id: ' ' },
      { channel: 'none', agent_id: '' },
    ])
      expect((await service.put('/entry-points/channel-defaults', body)).status).toBe(400);
  });

  // Proves rules routing.4, routing.5.
  it('requires an agent of the account and a connected number', async ({ service }) => {
    const own = await agent(service);
    const { api_key: key } = await service.makeAccount();
    const foreign = (await service.post('/agents', { name: 'Eve' }, { key })).body.agent_id;
    const set = (body: object) => service.put('/entry-points/channel-defaults', { channel: 'chatapp', ...body });
    expect((await set({ agent_id: foreign })).status).toBe(400);
    expect((await set({ agent_id: 'agt_none' })).status).toBe(400);
    expect((await set({ agent_id: own, phone_number: shop })).status).toBe(400);
    await connect(service, 'chatapp', shop);
    expect((await set({ agent_id: own, phone_number: 'nonsense' })).status).toBe(400);
    expect((await set({ agent_id: own, phone_number: '+1 415 555 0100' })).status).toBe(200);
    expect((await service.put('/entry-points/channel-defaults', { channel: 'sms', agent_id: own, phone_number: shop })).status).toBe(400);
    expect((await defaults(service))[0].match_config).toEqual({ phone_numbers: [shop] });
    // Also with the agent that is already in force.
    const web = () => set({ channel: 'chatapp_web', agent_id: own, phone_number: branch });
    await connect(service, 'chatapp_web', branch);
    expect((await web()).status).toBe(200);
    await service.sandbox('POST', `/accounts/${service.accountId}/pairings/${encodeURIComponent(branch)}/drop`, {});
    expect((await web()).status).toBe(400);
  });

  // Proves rules routing.6, routing.32.
  it('for a number takes precedence over the one for the channel, and can be cleared separately', async ({ service }) => {
    await connect(service, 'chatapp', shop);
    await connect(service, 'chatapp', branch);
    const [wide, narrow] = [await agent(service), await agent(service)];
    const ofChannel = await setDefault(service, wide);
    const ofNumber = await setDefault(service, narrow, { phone_number: branch });
    expect(ofNumber.disabled_entry_point_ids).toEqual([]);
    expect((await decision(service, 'hello', { to: branch })).agent_id).toBe(narrow);
    expect((await decision(service, 'hello', { to: shop })).agent_id).toBe(wide);
    const clear = (query: string) => service.delete(`/entry-points/channel-defaults?channel=chatapp${query}`);
    expect((await clear(`&phone_number=${encodeURIComponent(branch)}`)).body).toEqual({
      success: true,
      disabled_entry_point_ids: [ofNumber.entry_point_id],
    });
    expect((await decision(service, 'hello', { to: branch })).agent_id).toBe(wide);
    const again = await setDefault(service, narrow, { phone_number: branch });
    expect((await clear('')).body.disabled_entry_point_ids).toEqual([again.entry_point_id, ofChannel.entry_point_id]);
    expect((await clear('')).body.disabled_entry_point_ids).toEqual([]);
    expect((await service.delete('/entry-points/channel-defaults')).status).toBe(400);
    expect((await decision(service, 'hello', { to: branch })).step).toBe('none');
  });

  // Proves rule routing.7.
  it('is the only one in force, even if another is enabled again or created as a rule', async ({ service }) => {
    const [one, two] = [await agent(service), await agent(service)];
    const first = await setDefault(service, one);
    const second = await setDefault(service, two);
    await service.put(`/entry-points/${first.entry_point_id}`, { enabled: true });
    const enabled = async () =>
      (await defaults(service)).filter((each: { enabled: boolean }) => each.enabled).map((each: { id: string }) => each.id);
    expect(await enabled()).toEqual([first.entry_point_id]);
    const third = await rule(service, two, { type: 'channel_default', channels: ['chatapp'] });
    expect(await enabled()).toEqual([third]);
    const elsewhere = await rule(service, two, { type: 'channel_default', channels: ['email', 'email'] });
    await service.put(`/entry-points/${elsewhere}`, { channels: ['chatapp'] });
    expect(await enabled()).toEqual([elsewhere]);
    const body = { type: 'channel_default', channels: ['chatapp', 'email'] };
    expect((await service.post(`/agents/${one}/entry-points`, body)).status).toBe(400);
    expect((await service.put(`/entry-points/${second.entry_point_id}`, { channels: ['chatapp', 'email'] })).status).toBe(400);
    const racing = await Promise.all(
      [one, two, '', one, two].map((agentId) => service.put('/entry-points/channel-defaults', { channel: 'chatapp', agent_id: agentId })),
    );
    expect(racing.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await enabled()).toHaveLength(1);
  });
});

describe('a routing rule', () => {
  // Proves rules routing.8, routing.9, routing.10.
  it('is validated on creation', async ({ service }) => {
    const id = await agent(service);
    const other = await agent(service);
    const made = await rule(service, id, {
      type: 'keyword',
      channels: ['chatapp', 'chatapp'],
      match_config: { keywords: ['menu'], x: 1 },
      agent_id: other,
    });
    expect(await rules(service, id)).toEqual([
      expect.objectContaining({ id: made, agent_id: id, channels: ['chatapp'], match_config: { keywords: ['menu'], fuzzy_match: true } }),
    ]);
    expect(await rules(service, other)).toEqual([]);
    for (const body of [
      { type: 'nonsense', channels: ['chatapp'] },
      { channels: ['chatapp'] },
      { type: 'keyword', channels: [], match_config: { keywords: ['x'] } },
      { type: 'keyword', match_config: { keywords: ['x'] } },
      { type: 'keyword', channels: ['chatapp'] },
      { type: 'keyword', channels: ['chatapp'], match_config: { keywords: [] } },
      { type: 'keyword', channels: ['chatapp'], match_config: { keywords: [' '] } },
      { type: 'keyword', channels: ['chatapp'], match_config: { keywords: 'menu' } },
      { type: 'photo_social_comment', channels: ['page_social'] },
      { type: 'page_social_comment', channels: ['photo_social'] },
      { type: 'photo_social_comment', channels: ['photo_social'], match_config: { delay_minutes: -1 } },
      { type: 'channel_default', channels: ['chatapp'], match_config: { phone_numbers: [shop] } },
      { type: 'channel_default', channels: ['chatapp'], match_config: { phone_numbers: ['nonsense'] } },
      { type: 'photo_social_follower', channels: ['photo_social_private'], first_response_mode: 'loud' },
      { type: 'photo_social_follower', channels: ['email'] },
      { type: 'photo_social_follower', channels: ['photo_social_private', 'email'] },
    ])
      expect((await service.post(`/agents/${id}/entry-points`, body)).status, JSON.stringify(body)).toBe(400);
    expect(
      (await service.post('/agents/agt_none/entry-points', { type: 'photo_social_follower', channels: ['photo_social_private'] })).status,
    ).toBe(404);
    expect((await service.get('/agents/agt_none/entry-points')).status).toBe(404);
    expect(await rules(service, id)).toHaveLength(1);
  });

  // Proves rule routing.42.
  it('lets AI write the first message unless it says otherwise', async ({ service }) => {
    const id = await agent(service);
    const rule = await keyword(service, id, ['menu']);
    const mode = async () => (await rules(service, id))[0].first_response_mode;
    expect(await mode()).toBe('ai');
    await service.put(`/entry-points/${rule}`, { first_response_mode: 'exact_text' });
    expect(await mode()).toBe('exact_text');
    await service.put(`/entry-points/${rule}`, { first_response_mode: null });
    expect(await mode()).toBe('ai');
  });

  // Proves rules routing.13, routing.14, routing.40.
  it('is updated field by field', async ({ service }) => {
    const [one, two] = [await agent(service), await agent(service)];
    const id = await keyword(service, one, ['menu'], { fuzzy_match: false });
    const update = (body: object) => service.put(`/entry-points/${id}`, body);
    expect((await update({ 'match_config.keywords': ['card'] })).body).toEqual({ success: true, entry_point_id: id });
    expect((await rules(service, one))[0].match_config).toEqual({ keywords: ['card'], fuzzy_match: false });
    expect((await update({ match_config: { keywords: ['menu', null] } })).body.error).toMatch(/^match_config\.keywords\.1: /);
    expect((await update({ match_config: { keywords: ['menu'] } })).status).toBe(200);
    expect((await rules(service, one))[0].match_config).toEqual({ keywords: ['menu'], fuzzy_match: true });
    await update({ type: 'photo_social_comment', channels: ['photo_social'], public_comment_reply_exact_text: 'Thanks' });
    expect((await rules(service, one))[0]).toMatchObject({
      type: 'photo_social_comment',
      match_config: { keywords: ['menu'], post_ids: [], delay_minutes: 0 },
      public_comment_reply_exact_text: 'Thanks',
    });
    await update({ public_comment_reply_exact_text: null, agent_id: two, id: 'x', account_id: 'y' });
    expect((await rules(service, two))[0]).toMatchObject({ id, public_comment_reply_exact_text: null });
  });

  // Proves rules routing.13, routing.14, routing.40.
  it('refuses an update that names no field, or leaves it invalid', async ({ service }) => {
    const answering = await agent(service);
    const id = await keyword(service, answering, ['menu'], { fuzzy_match: false });
    const update = (body: object) => service.put(`/entry-points/${id}`, body);
    await update({ type: 'photo_social_comment', channels: ['photo_social'] });
    for (const body of [
      {},
      { account_id: 'y' },
      { agent_id: '' },
      { agent_id: ' ' },
      { agent_id: null },
      { type: 'keyword', 'match_config.keywords': [] },
      { channels: [] },
      { channels: ['email'] },
      { 'channels.0': 'email' },
      { 'match_config.keywords.x': 1 },
      { enabled: null },
    ]) {
      const answer = await update(body);
      expect(answer.status, JSON.stringify(body)).toBe(400);
      // A sentence, not a pattern.
      expect(answer.body.error).not.toMatch(/pattern|\//);
      if (Object.keys(body).length === 0) expect(answer.body.error).toBe('No fields to update');
    }
    expect((await update({ agent_id: 'agt_none' })).status).toBe(404);
    expect((await service.put('/entry-points/ent_none', { enabled: true })).status).toBe(404);
    expect((await service.delete('/entry-points/ent_none')).status).toBe(404);
    expect((await service.delete(`/entry-points/${id}`)).body).toEqual({ success: true, entry_point_id: id });
    expect(await rules(service, answering)).toEqual([]);
  });

  // Proves rules routing.15, routing.25.
  it('wins if it was updated last, even if the update changed nothing and the clock is frozen', async ({ service }) => {
    const [one, two] = [await agent(service), await agent(service)];
    await service.sandbox('POST', '/clock', { frozen: true });
    const first = await keyword(service, one, ['menu']);
    const second = await keyword(service, two, ['menu']);
    expect((await decision(service, 'menu')).entry_point_id).toBe(second);
    await service.put(`/entry-points/${first}`, { enabled: true });
    expect((await decision(service, 'menu')).entry_point_id).toBe(first);
    await service.put(`/entry-points/${first}`, { enabled: false });
    expect((await decision(service, 'menu')).entry_point_id).toBe(second);
    await service.sandbox('POST', '/clock', { frozen: false });
  });

  // Proves rules routing.25, routing.29.
  it('cannot have a keyword that stands for more characters than a keyword can have', async ({ service }) => {
    const id = await agent(service);
    const rule = { type: 'keyword', channels: ['chatapp'], match_config: { keywords: ['\ufdfa'.repeat(50)] } };
    const { status, body } = await service.post(`/agents/${id}/entry-points`, rule);
    expect([status, body.error]).toEqual([400, 'match_config.keywords.0: stands for too many characters']);
  });

  it('with the message as a keyword goes before those that it nearly matches', async ({ service }) => {
    const [one, two] = [await agent(service), await agent(service)];
    const first = await keyword(service, one, ['room 1']);
    const second = await keyword(service, two, ['room 2']);
    expect((await decision(service, 'room 1')).entry_point_id).toBe(first);
    expect((await decision(service, 'room 2')).entry_point_id).toBe(second);
    expect((await decision(service, 'room 3')).entry_point_id).toBe(second);
    await service.put(`/entry-points/${first}`, { enabled: true });
    expect((await decision(service, 'room 3')).entry_point_id).toBe(first);
    await service.put(`/entry-points/${first}`, { 'match_config.fuzzy_match': false });
    expect((await decision(service, 'room 3')).entry_point_id).toBe(second);
  });

  // Proves rules routing.26, routing.27, routing.28, routing.29, routing.35.
  it('with a keyword applies to the first message of a contact, whoever created the contact', async ({ service }) => {
    const id = await agent(service);
    const menu = await keyword(service, id, ['menu card']);
    const decided = { step: 'rule', agent_id: id, entry_point_id: menu };
    const known = number();
    await service.post('/contacts', { phone_number: known });
    expect(await decision(service, 'MENUCARD', { from: known })).toEqual(decided);
    expect(await decision(service, '\n menu  card\nplease')).toEqual(decided);
    expect(await decision(service, 'menu cards')).toEqual(decided);
    const later = number();
    expect((await decision(service, 'something else', { from: later })).step).toBe('none');
    expect((await decision(service, 'menu card', { from: later })).step).toBe('none');
    await service.put(`/entry-points/${menu}`, { 'match_config.fuzzy_match': false });
    expect((await decision(service, 'menu cards')).step).toBe('none');
    await service.put(`/entry-points/${menu}`, { channels: ['sms'] });
    expect((await decision(service, 'menu card', { channel: 'sms' })).step).toBe('none');
    expect((await decision(service, 'menu card')).step).toBe('single_agent');
    await service.delete(`/entry-points/${menu}`);
    expect((await decision(service, 'menu card', { channel: 'sms' })).step).toBe('single_agent');
  });

  // Proves rules routing.20, routing.22, routing.38, routing.39, sandbox.52.
  it('does not reroute an existing conversation, and each step reports its reason', async ({ service }) => {
    const [one, two] = [await agent(service), await agent(service)];
    const from = number();
    await setDefault(service, one);
    expect((await decision(service, 'hello', { from })).agent_id).toBe(one);
    await setDefault(service, two);
    await keyword(service, two, ['menu']);
    const { decision: kept, contact_id: contact, message_id: message } = await write(service, 'menu', { from });
    expect(kept).toEqual({
      step: 'existing_agent',
      agent_id: one,
      entry_point_id: null,
      reason: `The contact has the agent ${one} already`,
      steps: [
        { step: 'takeover', decided: false, reason: 'Nobody took the conversation over' },
        { step: 'existing_agent', decided: true, reason: `The contact has the agent ${one} already` },
      ],
    });
    expect((await service.get(`/contacts/${contact}`)).body.contact.agent_id).toBe(one);
    const stored = await service.write((db) => db.selectFrom('decisions').selectAll().where('message_id', '=', message).execute());
    expect(stored).toMatchObject([{ step: 'existing_agent', agent_id: one, reason: kept.reason }]);
    expect(JSON.parse(stored[0]?.steps ?? '')).toEqual(kept.steps);
  });
});

describe('deleting an agent', () => {
  // Proves rules agents.35, agents.37, agents.38.
  it('is blocked by rules in force, deletes retired ones, and lets its contacts be routed again', async ({ service }) => {
    const [one, two] = [await agent(service), await agent(service)];
    const from = number();
    await setDefault(service, one);
    const { contact_id: contact } = await write(service, 'hello', { from });
    const menu = await keyword(service, one, ['menu']);
    const refused = await service.delete(`/agents/${one}`);
    expect(refused.status).toBe(409);
    expect(refused.body.blocking_entry_point_ids).toHaveLength(2);
    await setDefault(service, two);
    expect((await service.delete(`/agents/${one}`)).body.blocking_entry_point_ids).toEqual([menu]);
    await service.put(`/entry-points/${menu}`, { enabled: false });
    expect((await service.delete(`/agents/${one}`)).status).toBe(200);
    expect((await defaults(service)).map((each: { agent_id: string }) => each.agent_id)).toEqual([two]);
    expect((await service.put(`/entry-points/${menu}`, { enabled: true })).status).toBe(404);
    expect((await service.get(`/contacts/${contact}`)).body.contact.agent_id).toBeNull();
    expect((await decision(service, 'again', { from })).agent_id).toBe(two);
  });

  it('takes effect at once for many contacts, and maintenance updates the rest', async ({ service }) => {
    const id = await agent(service);
    await setDefault(service, id);
    const from = number();
    const { contact_id: contact } = await write(service, 'hello', { from });
    await setDefault(service, '');
    const people = Array.from({ length: 500 }, () => ({ phone_number: number() }));
    for (let part = 0; part < 3; part++)
      await service.post('/contacts/import', { contacts: people.map(() => ({ phone_number: number() })) });
    await service.write((db) => db.updateTable('contacts').set({ agent_id: id }).where('account_id', '=', service.accountId).execute());
    expect((await service.delete(`/agents/${id}`)).status).toBe(200);
    expect((await service.get(`/contacts/${contact}`)).body.contact.agent_id).toBeNull();
    expect((await decision(service, 'again', { from })).step).toBe('channel_default');
    await service.service.runMaintenance();
    const left = await service.write((db) => db.selectFrom('contacts').select('id').where('agent_id', '=', id).execute());
    expect(left).toEqual([]);
    expect((await service.get('/contacts?limit=1')).body.contacts).toHaveLength(1);
  });
});

describe('legacy channel routing', () => {
  const set = (service: TestService, channel: string, campaignId: string | null | undefined) =>
    service.put(`/channel-routing/${channel}`, { campaignId });
  const campaign = async (service: TestService, body: Record<string, unknown>) =>
    (await service.post('/campaigns', { name: 'Spring', ...body })).body.campaign.id as string;

  // Proves rule routing.16.
  it('sets the agent of the campaign as the default, and conversations get the campaign', async ({ service }) => {
    const [one, two] = [await agent(service), await agent(service)];
    await connect(service, 'chatapp', shop);
    const id = await campaign(service, { agent_id: one });
    expect((await set(service, 'chatapp', id)).body).toEqual({ success: true, channel: 'chatapp', campaign_id: id });
    const { contact_id: contact, decision: decided } = await write(service, 'hello');
    expect(decided).toMatchObject({ step: 'channel_default', agent_id: one });
    const { messages } = (await service.get(`/contacts/${contact}/messages`)).body;
    expect(messages.map((each: { campaign_id: string }) => each.campaign_id)).toEqual([id, id]);
    await service.put(`/campaigns/${id}`, { agent_id: two });
    expect((await defaults(service))[0].agent_id).toBe(two);
    expect((await decision(service, 'hello')).agent_id).toBe(two);
    await service.put(`/campaigns/${id}`, { agent_id: null });
    expect(await decision(service, 'hello')).toMatchObject({ step: 'channel_default', agent_id: null });
    expect((await set(service, 'chatapp', null)).body.campaign_id).toBeNull();
    expect((await decision(service, 'hello')).step).toBe('none');
  });

  // Proves rules routing.17, routing.18, routing.19.
  it('rejects outgoing-only campaigns, and releases channels', async ({ service }) => {
    const one = await agent(service);
    const outgoing = await campaign(service, { agent_id: one, outgoing_only: true });
    const both = await campaign(service, { agent_id: one });
    expect((await set(service, 'chatapp', outgoing)).status).toBe(400);
    expect((await set(service, 'chatapp', undefined)).status).toBe(400);
    expect((await set(service, 'nonsense', both)).status).toBe(400);
    expect((await set(service, 'chatapp', 'cmp_none')).status).toBe(404);
    await set(service, 'chatapp', both);
    await set(service, 'email', both);
    await setDefault(service, '', { channel: 'sms' });
    const released = await service.post('/channel-routing/clear', { channels: ['chatapp', 'sms', 'photo_social', 'chatapp'] });
    expect(released.body).toEqual({ success: true, released_channels: ['chatapp'] });
    expect((await defaults(service)).filter((each: { enabled: boolean }) => each.enabled)).toHaveLength(1);
    await set(service, 'chatapp', both);
    await service.put(`/campaigns/${both}`, { outgoing_only: true });
    expect((await defaults(service)).filter((each: { enabled: boolean }) => each.enabled)).toEqual([]);
    const third = await campaign(service, { agent_id: one });
    await set(service, 'chatapp', third);
    expect((await service.delete(`/campaigns/${third}`)).status).toBe(200);
    expect((await defaults(service)).filter((each: { enabled: boolean }) => each.enabled)).toEqual([]);
    expect((await service.get('/entry-points/routing-status')).body).toEqual({ success: true, cutover_enabled: true });
  });
});
