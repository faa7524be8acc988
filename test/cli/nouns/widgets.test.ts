import { describe, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox', NO_COLOR: '1' });

describe('widgets', () => {
  it('are made with the line to paste, and opened by name', async ({ home }) => {
    await home.run('agents', 'create', 'Ada');
    const made = await home.run('widgets', 'create', 'Shop chat', '--agent', 'Ada', '--ask-before', 'name,email', '-o', 'json');
    const { embed_code: code, page_url: url, agent_id: agent } = made.json.widget as Record<string, string>;
    expect(made.code).toBe(0);
    expect(code).toContain(`${url}/embed.js`);
    expect((await home.run('widgets', 'create', 'Other')).stderr).toMatch(
      /^Paste this line into your site:\n<script .*<\/script>\nOr open http.*\nThe pages of the embedded service can be opened while `msgctl serve` runs\.\n$/,
    );
    expect(agent).toMatch(/^agt_/);
    expect((await home.run('widgets', 'list')).stdout).toContain('Ada');
    expect((await home.run('widgets', 'open', 'shop CHAT')).stdout).toBe(`${url}\n`);
    const changed = await home.run(
      'widgets',
      'update',
      'Shop chat',
      '--no-enabled',
      '--allowed-origins',
      'https://a.example',
      '-o',
      'json',
    );
    expect(changed.json.widget).toMatchObject({ enabled: false, allowed_origins: ['https://a.example'] });
    const emptied = await home.run('widgets', 'update', 'Shop chat', '--allowed-origins', '', '--agent', '', '-o', 'json');
    expect(emptied.json.widget).toMatchObject({ allowed_origins: [], agent_id: null });
    expect((await home.run('widgets', 'open', 'nobody')).code).toBe(5);
    expect(await home.run('widgets', 'delete', 'Shop chat')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Delete the widget 'Shop chat' and keep the conversations of its visitors?") as string,
    });
    expect((await home.run('widgets', 'delete', 'Shop chat', '--yes')).code).toBe(0);
  });

  it('are no place for the token of a visitor, which no error shows', async ({ home }) => {
    const token = `wvt_${'a1'.repeat(20)}`;
    for (const words of [
      ['widgets', 'get', token],
      ['api', 'GET', `/w/none/messages?token=${token}`],
    ])
      expect(await home.run(...words)).toMatchObject({ code: 5, stderr: expect.not.stringContaining(token) as string });
  });

  it('of the kind chatapp need a connected number', async ({ home }) => {
    const words = ['widgets', 'create', 'x', '--kind', 'chatapp', '--number', '+14155550100'];
    const url = 'https://chat.example/{number}?text={text}';
    expect((await home.run(...words, '--chat-url', 'https://chat.example')).stderr).toContain(
      '--chat-url must be an https address with {number} and {text} after its host',
    );
    expect((await home.run(...words, '--chat-url', url)).stderr).toContain("--number '+14155550100' is not connected on chatapp");
  });
});

describe('events booking-page', () => {
  it('is enabled, shown and disabled by the name of the event', async ({ home }) => {
    await home.run('events', 'create', 'Consultation', '--monday', '9:00-12:00');
    for (const verb of ['show', 'disable']) {
      const missing = await home.run('events', 'booking-page', verb, 'Consultation');
      expect([missing.code, missing.stderr]).toEqual([
        5,
        expect.stringContaining('`msgctl events booking-page enable Consultation` makes one.'),
      ]);
    }
    const enabled = await home.run(
      'events',
      'booking-page',
      'enable',
      'Consultation',
      '--ask',
      'email,note',
      '--language',
      'de',
      '-o',
      'json',
    );
    const page = enabled.json.event.booking_page as Record<string, unknown>;
    expect(page).toMatchObject({ enabled: true, ask: ['email', 'note'], language: 'de' });
    const disabled = await home.run('events', 'booking-page', 'disable', 'Consultation', '-o', 'json');
    expect(disabled.json.event.booking_page).toEqual({ ...page, enabled: false });
    expect((await home.run('events', 'booking-page', 'enable', 'Consultation')).stderr).toContain(
      `Guests book at ${String(page.page_url)}`,
    );
    const again = await home.run('events', 'get', 'Consultation', '-o', 'json');
    expect(again.json.event.booking_page).toEqual(page);
  });
});
