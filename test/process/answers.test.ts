import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { describe, expect } from 'vitest';
import { call, end, engines, type Ready, Workplace } from '../support/processes.ts';
import { FakeModel } from '../support/fake-model.ts';
import { Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { it } from '../support/workplace-test.ts';

// A real server is killed at every step of the background work of agents, which must be done once and charged once.

const control = (ready: Ready, method: string, path: string, body?: unknown) =>
  call(`${ready.sandbox_url}${path}`, ready.sandbox_token, method, body);

const balance = async (ready: Ready, key: string) => (await call(`${ready.base_url}/users/me/credits`, key, 'GET')).body.balance;

describe.each(engines)('on %s', (engine) => {
  /** Starts work, and kills servers at the given failpoints. @returns a server that finished the work, and the main key */
  async function killAt(
    workplace: Workplace,
    places: readonly string[],
    begin: (ready: Ready, key: string) => Promise<void>,
  ): Promise<[Ready, string]> {
    const options = await workplace.databaseOptions(engine);
    const [first = '', ...others] = places;
    const begun = await workplace.serve(options, { MSGCTL_FAILPOINT: first });
    const key = begun.ready.api_key ?? '';
    // The server may be killed before it answers.
    await begin(begun.ready, key).catch(() => {});
    await begun.exited;
    expect(begun.child.signalCode, first).toBe('SIGKILL');
    for (const place of others) await workplace.serveUntilKilled(options, place);
    const { ready } = await workplace.serve(options);
    expect((await control(ready, 'POST', '/settle')).status).toBe(200);
    return [ready, key];
  }

  // Proves rules inbound.6, answers.6.
  it('a comment with a delay is answered exactly once', async ({ workplace }) => {
    let contact = '';
    const [ready, key] = await killAt(workplace, ['comment.leased', 'comment.asked', 'comment.sending'], async (begun, mainKey) => {
      await control(begun, 'POST', `/accounts/${begun.account_id}/channels`, { channel: 'photo_social', identity: 'shop' });
      const { agent_id: agent } = (await call(`${begun.base_url}/agents`, mainKey, 'POST', { name: 'Ada' })).body;
      const rule = { type: 'photo_social_comment', channels: ['photo_social'], match_config: { delay_minutes: 1 } };
      await call(`${begun.base_url}/agents/${String(agent)}/entry-points`, mainKey, 'POST', rule);
      const comment = { channel: 'photo_social', post_id: 'post', from: 'fan', text: 'hello' };
      contact = (await control(begun, 'POST', `/accounts/${begun.account_id}/comments`, comment)).body.contact_id as string;
      await control(begun, 'POST', '/clock', { frozen: true });
      await control(begun, 'POST', '/clock/advance', { seconds: 60 });
    });
    const { messages } = (await call(`${ready.base_url}/contacts/${contact}/messages`, key, 'GET')).body;
    expect(messages).toMatchObject([{ direction: 'outbound', sender: 'ai' }, { body: 'hello' }]);
    expect(await balance(ready, key)).toBe(999);
  });

  // Proves rule answers.12.
  it('a message is answered exactly once if the server is killed while a model writes', async ({ workplace }) => {
    const model = await Receiver.open();
    const options = await workplace.databaseOptions(engine);
    const environment = { MSGCTL_AI_BASE_URL: model.url('/v1'), MSGCTL_AI_API_KEY: 'sk-test', MSGCTL_AI_MODEL: 'm' };
    const killed = await workplace.serve(options, environment);
    const { base_url: url, account_id: account } = killed.ready;
    const key = killed.ready.api_key ?? '';
    await control(killed.ready, 'POST', `/accounts/${account}/channels`, { channel: 'chatapp', identity: '+14155550100' });
    const { agent_id: agent } = (await call(`${url}/agents`, key, 'POST', { name: 'Ada' })).body;
    await call(`${url}/agents/${String(agent)}/entry-points`, key, 'POST', { type: 'channel_default', channels: ['chatapp'] });
    model.behaviour = () => {};
    const inbound = { channel: 'chatapp', from: '+14155550123', text: 'When do you open?' };
    const cutOff = control(killed.ready, 'POST', `/accounts/${account}/inbound`, inbound).catch(() => 'cut off');
    await until(() => model.received.length === 1);
    await end(killed.child, 'SIGKILL');
    expect(await cutOff).toBe('cut off');
    const reply = { choices: [{ index: 0, message: { role: 'assistant', content: 'At nine.' }, finish_reason: 'stop' }] };
    model.behaviour = (response) => response.setHeader('content-type', 'application/json').end(JSON.stringify(reply));
    const { ready } = await workplace.serve(options, environment);
    expect((await control(ready, 'POST', '/settle')).status).toBe(200);
    const { contacts } = (await call(`${ready.base_url}/contacts`, key, 'GET')).body as { contacts: { id: string }[] };
    const { messages } = (await call(`${ready.base_url}/contacts/${contacts[0]?.id}/messages`, key, 'GET')).body;
    expect(messages).toMatchObject([{ direction: 'outbound', sender: 'ai', body: 'At nine.' }, { body: 'When do you open?' }]);
    expect(await balance(ready, key)).toBe(999);
    expect((await control(ready, 'GET', '/jobs')).body.waiting).not.toHaveProperty('comment_reply');
    await model.close();
  });

  // Proves rule functions.11.
  it('calls of an answer that a crash cut off are kept once, with the answer that is made anew', async ({ workplace }) => {
    const model = await FakeModel.open();
    const receiver = await Receiver.open();
    receiver.behaviour = (response) => response.setHeader('content-type', 'application/json').end('{"open":9}');
    const options = [...(await workplace.databaseOptions(engine)), '--allow-private-receivers'];
    const environment = { MSGCTL_AI_BASE_URL: model.settings.baseUrl, MSGCTL_AI_API_KEY: 'sk-test', MSGCTL_AI_MODEL: 'm' };
    const killed = await workplace.serve(options, environment);
    const { base_url: url, account_id: account } = killed.ready;
    const key = killed.ready.api_key ?? '';
    await control(killed.ready, 'POST', `/accounts/${account}/channels`, { channel: 'chatapp', identity: '+14155550100' });
    const { agent_id: agent } = (await call(`${url}/agents`, key, 'POST', { name: 'Ada' })).body;
    const { custom_function: made } = (await call(`${url}/custom-functions`, key, 'POST', { name: 'hours', url: receiver.url() })).body;
    const ids = { custom_function_ids: [(made as { id: string }).id] };
    await call(`${url}/agents/${String(agent)}/custom-functions`, key, 'POST', ids);
    model.says([['hours', {}]], null);
    const inbound = { channel: 'chatapp', from: '+14155550123', text: 'When do you open?' };
    const cutOff = control(killed.ready, 'POST', `/accounts/${account}/inbound`, inbound).catch(() => 'cut off');
    await until(() => model.told.length === 2);
    await end(killed.child, 'SIGKILL');
    expect(await cutOff).toBe('cut off');
    model.says([['hours', {}]], 'At nine.');
    const { ready } = await workplace.serve(options, environment);
    expect((await control(ready, 'POST', '/settle')).status).toBe(200);
    const { contacts } = (await call(`${ready.base_url}/contacts`, key, 'GET')).body as { contacts: { id: string }[] };
    const { messages } = (await call(`${ready.base_url}/contacts/${contacts[0]?.id}/messages`, key, 'GET')).body;
    expect(messages).toMatchObject([
      { type: 'text', body: 'At nine.' },
      { type: 'tool_use', tool: { name: 'hours', ok: true, result: { open: 9 } } },
      { direction: 'inbound', body: 'When do you open?' },
    ]);
    expect(await balance(ready, key)).toBe(999);
    const callIds = receiver.received.map(({ body }) => (body as { call_id: string }).call_id);
    expect(new Set(callIds).size).toBe(2);
    await model.close();
    await receiver.close();
  });

  // Proves rules agents.41, agents.43, credits.32.
  it('a run of an agent is charged and stored exactly once', async ({ workplace }) => {
    let agent = '';
    const [ready, key] = await killAt(workplace, ['run.leased', 'run.written', 'run.ending'], async (begun, mainKey) => {
      agent = (await call(`${begun.base_url}/agents`, mainKey, 'POST', { name: 'Ada', instructions: 'Be kind' })).body.agent_id as string;
      await call(`${begun.base_url}/agents/${agent}/optimize`, mainKey, 'POST', { user_feedback: 'Be brief' });
    });
    expect((await call(`${ready.base_url}/agents/${agent}`, key, 'GET')).body.agent).toMatchObject({
      draft: { instructions: 'Be kind\nBe brief.' },
      optimize_run: { status: 'Draft', error: null },
    });
    expect(await balance(ready, key)).toBe(995);
  });
});

// Proves rule answers.50.
it('the log warns in a line that FAQs are found by their words alone', async ({ workplace }) => {
  const model = await Receiver.open();
  model.behaviour = (response) => response.writeHead(401).end();
  const environment = { MSGCTL_AI_BASE_URL: model.url('/v1'), MSGCTL_AI_EMBEDDING_MODEL: 'meaning' };
  const { child, ready } = await workplace.serve(['--data', ':memory:'], environment);
  const lines = createInterface({ input: child.stderr as Readable })[Symbol.asyncIterator]();
  const { agent_id: agent } = (await call(`${ready.base_url}/agents`, ready.api_key, 'POST', { name: 'Ada' })).body;
  const { campaign } = (await call(`${ready.base_url}/campaigns`, ready.api_key, 'POST', { name: 'Support', agent_id: agent })).body;
  const faqs = [{ question: 'When do you open?', answer: 'At nine.' }];
  await call(`${ready.base_url}/faqs/import`, ready.api_key, 'POST', { campaign_id: (campaign as { id: string }).id, faqs });
  let warning: Record<string, unknown> = {};
  while (warning.event !== 'warning') warning = JSON.parse(String((await lines.next()).value)) as typeof warning;
  expect(warning).toEqual({
    event: 'warning',
    warning: expect.stringMatching(/^FAQs are found by their words alone, because meaning /) as string,
  });
  await model.close();
});
