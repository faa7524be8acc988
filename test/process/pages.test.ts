import { describe, expect } from 'vitest';
import { call, engines, type Ready } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { it } from '../support/workplace-test.ts';

const control = (ready: Ready, method: string, path: string, body?: unknown) =>
  call(`${ready.sandbox_url}${path}`, ready.sandbox_token, method, body);

/** An agent that knows when the shop is open, and a chat with it. @returns the public id of the chat */
async function chatOf(ready: Ready): Promise<string> {
  const api = async (path: string, body: object) => (await call(`${ready.base_url}${path}`, ready.api_key, 'POST', body)).body;
  const { agent_id: agent } = await api('/agents', { name: 'Ada', active: true });
  const { campaign } = (await api('/campaigns', { name: 'Questions', agent_id: agent })) as { campaign: { id: string } };
  await api('/faqs/import', { campaign_id: campaign.id, faqs: [{ question: 'When are you open?', answer: 'From nine to five.' }] });
  await control(ready, 'POST', '/settle');
  return ((await api('/widgets', { name: 'Shop', agent_id: agent })).widget as { public_id: string }).public_id;
}

const pageOf = ({ base_url: base }: Ready, id: string) => `${new URL(base).origin}/w/${id}`;

const tokenOf = async (page: string) => String((await call(`${page}/visitors`, null, 'POST', {})).body.token);

const messagesOf = async (page: string, token: string) => (await call(`${page}/messages`, token, 'GET')).body.messages as object[];

describe.each(engines)('on %s', (engine) => {
  // Proves rule widgets.12.
  it('a visitor is answered once after repeated kills', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const first = await workplace.serve(options);
    const id = await chatOf(first.ready);
    const token = await tokenOf(pageOf(first.ready, id));
    await control(first.ready, 'POST', '/jobs', { hold: ['widget_reply'] });
    const sent = await call(`${pageOf(first.ready, id)}/messages`, token, 'POST', { text: 'When are you open?', client_id: 'a' });
    expect(sent.status).toBe(201);
    await control(first.ready, 'POST', '/jobs', { hold: [] });
    first.child.kill('SIGKILL');
    await first.exited;
    for (const point of ['widget.leased:1', 'widget.asked:1', 'widget.sending:1']) await workplace.serveUntilKilled(options, point);
    const last = await workplace.serve(options);
    await control(last.ready, 'POST', '/settle');
    const page = pageOf(last.ready, id);
    expect(await messagesOf(page, token)).toMatchObject([{ from: 'agent' }, { from: 'visitor' }]);
    const again = await call(`${page}/messages`, token, 'POST', { text: 'When are you open?', client_id: 'a' });
    expect(again.body.message).toEqual(sent.body.message);
  });

  // Proves rules widgets.13, widgets.16.
  it('a stream at one server has what is written at another, and ends with the widget', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const [one, other] = [(await workplace.serve(options)).ready, (await workplace.serve(options)).ready];
    const id = await chatOf(one);
    const token = await tokenOf(pageOf(one, id));
    const answer = await fetch(`${pageOf(other, id)}/stream`, { headers: { authorization: `Bearer ${token}` } });
    let text = '';
    let isEnded = false;
    void (async () => {
      for await (const part of answer.body ?? []) text += Buffer.from(part as Uint8Array).toString();
      isEnded = true;
    })();
    await call(`${pageOf(one, id)}/messages`, token, 'POST', { text: 'When are you open?' });
    await until(() => text.includes('From nine to five.'));
    const { widgets } = (await call(`${one.base_url}/widgets`, one.api_key, 'GET')).body as { widgets: { id: string }[] };
    await call(`${one.base_url}/widgets/${widgets[0]?.id}`, one.api_key, 'PUT', { enabled: false });
    await until(() => isEnded);
  });
});
