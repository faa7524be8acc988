import { expect } from 'vitest';
import { accountFolder } from '../support/account-folder.ts';
import { it } from '../support/home-test.ts';

// Proves rule account-as-code.46.
it('widgets and booking pages are configuration, and their addresses are not', async ({ home }) => {
  const { file, read, diff, apply, dir } = accountFolder(() => home);
  file(
    'widgets.yaml',
    'widgets: [{ name: Shop, title: Shop, greeting: Hi, agent: Ada, allowed_origins: [https://b.example, https://a.example] }]\n',
  );
  file('agents.yaml', 'agents: [{ name: Ada }]\n');
  file('events.yaml', 'events: [{ name: Talk, booking_page: { title: Talk to us, ask: [note] } }]\n');
  expect((await apply()).stderr).not.toContain('Error');
  expect((await diff()).code).toBe(0);
  const widget = async () => (await home.sandbox('widgets', 'get', 'Shop', '-o', 'json')).json.widget;
  const before = await widget();
  expect(before).toMatchObject({ greeting: 'Hi', agent_id: expect.stringMatching(/^agt_/) as string });
  await home.sandbox('dump', dir(), '--replace');
  expect(read('widgets.yaml')).not.toMatch(/public_id|page_url|clicks/);
  expect(read('events.yaml')).not.toMatch(/public_id|page_url/);
  expect((await diff()).code).toBe(0);
  file('widgets.yaml', 'widgets: [{ name: Shop, agent: null, daily_ai_replies: null }]\n');
  file('events.yaml', 'events: [{ name: Talk, booking_page: null }]\n');
  expect((await apply()).code).toBe(0);
  expect(await widget()).toMatchObject({ agent_id: null, daily_ai_replies: null, greeting: 'Hi', public_id: before.public_id });
  expect((await home.sandbox('events', 'get', 'Talk', '-o', 'json')).json.event.booking_page).toBeNull();
  file('widgets.yaml', 'widgets: [{ name: Shop, kind: chatapp }]\n');
  expect((await diff()).stdout).toContain('a widget keeps its kind');
  file('widgets.yaml', 'widgets: [{ name: Shop, public_id: x }]\n');
  expect((await diff()).code).toBe(2);
});
