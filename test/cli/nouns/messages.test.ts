import { describe, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import { Relay } from '../../support/relay.ts';
import { startServer } from '../../support/server.ts';
import { Home } from '../../support/terminal-world.ts';
import { until } from '../../support/until.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox' });

/** An account whose agent answers one question. */
async function answering(home: Home): Promise<void> {
  await home.run('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
  await home.run('agents', 'create', 'Ada');
  await home.run('agents', 'activate', 'Ada');
  await home.run('campaigns', 'create', 'Support', '--agent', 'Ada');
  await home.run('faqs', 'create', 'When are you open?', 'From nine to five.', '--campaign', 'Support');
  await home.run('routing', 'defaults', 'set', 'chatapp', 'Ada');
  await home.run('sandbox', 'settle');
  await home.run('contacts', 'create', '+14155550155', '--first-name', 'Grace');
}

const write = async (home: Home, text: string) =>
  (await home.run('sandbox', 'inbound', '+14155550155', text, '-o', 'json')).json as { message_id: string; reply: { message_id: string } };

describe('messages', () => {
  it('are searched by words, and listed with names on a terminal', async ({ home }) => {
    await answering(home);
    const { message_id: id } = await write(home, 'I want a refund, please');
    await write(home, 'When are you open?');
    const found = await home.run('messages', 'search', 'refund', 'plea', '-o', 'json');
    expect(found.json.messages).toMatchObject([{ id, body: 'I want a refund, please', direction: 'inbound' }]);
    expect((await home.run('messages', 'search', 'refund', '--sender', 'ai', '-o', 'json')).json.messages).toEqual([]);
    const { stdout } = await home.runOnTerminal(80, 'messages', 'list', '--direction', 'inbound');
    expect(stdout.replaceAll(/\u001b\[\d+m/g, '')).toMatch(/CREATED.*CONTACT.*BODY[^]*Grace +│ When are[^]*Grace +│ I want a/);
    expect((await home.run('messages', 'search', '?!')).code).toBe(2);
    expect((await home.run('messages', 'get', id, '-o', 'json')).json.message.id).toBe(id);
    expect((await home.run('messages', 'get', 'msg_none')).code).toBe(5);
  });

  it('tell why they were answered so, and what changes it', async ({ home }) => {
    await answering(home);
    const { message_id: id, reply } = await write(home, 'When are you open?');
    const { stdout } = await home.run('messages', 'why', reply.message_id);
    const faq = (await home.run('faqs', 'list', '-o', 'json')).json.faqs[0].id as string;
    expect(stdout).toMatch(
      /^Grace, [\d :-]+\n {2}When are you open\?\nAda, [\d :-]+\n {2}From nine to five\.\n\nanswered with a FAQ, 1 credit(, \d+ ms)?, sent\n\nAda answers\n/,
    );
    expect(stdout).toContain('✓ channel_default');
    expect(stdout).toContain(`FAQs\n✓ 1.00  When are you open?  ${faq}\n\nTo change it\nmsgctl faqs update ${faq} --answer '…'\n`);
    expect((await home.run('messages', 'why', id, '-o', 'csv')).stdout).toMatch(
      /^message\.id,.*\r\nmsg_[\w-]+,inbound,When are you open\?,channel_default,/,
    );
    const unknown = await home.run('messages', 'why', 'Grace');
    expect([unknown.code, unknown.stderr]).toEqual([5, expect.stringContaining('`msgctl contacts messages CONTACT')]);
    const asked = await home.run('messages', 'why', id, '-o', 'json');
    expect(asked.json).toMatchObject({ message: { id }, trace: { decision: { step: 'channel_default' }, faqs: null } });
    expect(asked.json.commands).toEqual(['msgctl routing defaults set chatapp …']);
    expect((await home.run('messages', 'why', 'msg_none')).code).toBe(5);
  });

  it('tell of an agent that was deactivated since that it answered', async ({ home }) => {
    await answering(home);
    const { message_id: id, reply } = await write(home, 'When are you open?');
    expect((await home.run('agents', 'deactivate', 'Ada')).code).toBe(0);
    expect((await home.run('messages', 'why', reply.message_id)).stdout).toContain('\nAda answered, and has been deactivated since\n');
    expect((await home.run('messages', 'why', id)).stdout).toContain('\nAda was to answer, and is inactive now\n');
    expect((await home.run('contacts', 'messages', 'Grace', '--why')).stdout).not.toContain('Ada answers');
  });

  it('of a session are a chat, with who answers between the lines', async ({ home }) => {
    await answering(home);
    await write(home, 'When are you open?');
    await write(home, 'I want to talk to a person');
    const { id } = (await home.run('sessions', 'list', '--alerted', 'true', '--state', 'open', '-o', 'json')).json.chat_sessions[0];
    const { stdout } = await home.runOnTerminal(80, 'sessions', 'get', id);
    const lines = stdout.replaceAll(/\u001b\[\d+m/g, '').split('\n');
    expect(lines.slice(0, 3)).toEqual(['Grace on chatapp, with Ada: open, a person is needed', id, '']);
    expect(lines.slice(4).map((line) => line.replace(/^\d\d:\d\d/, ''))).toEqual([
      '  Contact      When are you open?',
      '                    Ada answers: The default of chatapp is the agent Ada',
      '  AI agent   ✓ From nine to five.',
      '  Contact      I want to talk to a person',
      expect.stringMatching(/^ {2}AI agent {3}✓ Thank you/),
      expect.any(String),
      '                    Handed over to a person',
      '',
    ]);
    expect((await home.run('sessions', 'get', id, '-o', 'json')).json.chat_session).toMatchObject({ id, alerted: true });
    expect((await home.run('sessions', 'list', '--outcome', 'no_reply', '-o', 'json')).json.chat_sessions).toEqual([]);
    expect((await home.run('contacts', 'get', 'Grace')).stdout).toMatch(/^agent +Ada$/m);
  });

  it('are shown as they come, from a server', async ({ home }) => {
    const server = await startServer();
    home.env = { MSGCTL_API_KEY: server.apiKey, MSGCTL_BASE_URL: server.baseUrl, MSGCTL_SANDBOX_TOKEN: server.token };
    const other = new Home();
    other.env = home.env;
    await other.run('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
    await write(other, 'before');
    const watching = home.run('messages', 'tail', '--direction', 'inbound', '-o', 'ndjson');
    const { interrupt } = home;
    await until(() => home.stderrSoFar().includes('Ctrl-C'));
    await write(other, 'When are you open?');
    await until(() => home.stdoutSoFar().includes('open'));
    interrupt();
    const { code, stdout } = await watching;
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect([code, rows]).toMatchObject([0, [{ event: 'message', body: 'When are you open?', contact: '+14155550155' }]]);
    // What happened to earlier messages meanwhile is not news.
    const { message_id: sent } = (await other.run('contacts', 'send', '+14155550155', 'Welcome', '-o', 'json')).json;
    await other.run('sandbox', 'receipt', String(sent), 'delivered');
    // On a terminal, each has a line at once, as wide as the window; chosen columns are a table.
    const text = `Is my table ready, ${'please, '.repeat(20)}thank you`;
    for (const [argv, seen] of [
      [
        [],
        /^\d\d:\d\d:\d\d {4}\+14155550155 {2}Is my table ready, please, [^\n]{1,50}…\n\d\d:\d\d:\d\d {2}✓ \+14155550155 {2}Automated: Yes\.\n/,
      ],
      [['--fields', 'body'], /┌─+┐\n│ BODY +│\n├─+┤\n│ Is my table ready/],
    ] as const) {
      const onTerminal = home.runOnTerminal(80, 'messages', 'tail', ...argv);
      const { interrupt: stop } = home;
      await until(() => home.stderrSoFar().includes('Ctrl-C'));
      await write(other, text);
      await other.run('contacts', 'send', '+14155550155', 'Yes.');
      await until(() => home.stdoutSoFar().includes('Yes.'));
      expect(home.stdoutSoFar().replaceAll(/\u001b\[\d+m/g, '')).toMatch(seen);
      stop();
      expect((await onTerminal).code).toBe(0);
    }
    other.remove();
    await server.close();
  }, 30_000);

  it('with a contact are shown as they come, and none is missed while the connection is lost', async ({ home }) => {
    const server = await startServer();
    const relay = await Relay.open(Number(new URL(server.origin).port));
    const other = new Home();
    other.env = { MSGCTL_API_KEY: server.apiKey, MSGCTL_BASE_URL: server.baseUrl, MSGCTL_SANDBOX_TOKEN: server.token };
    home.env = { ...other.env, MSGCTL_BASE_URL: `http://127.0.0.1:${relay.port}/v1` };
    await answering(other);
    const watching = home.run('contacts', 'messages', 'Grace', '--watch', '--direction', 'inbound', '-o', 'ndjson');
    const { interrupt } = home;
    await until(() => home.stderrSoFar().includes('Ctrl-C'));
    await write(other, 'one');
    await until(() => home.stdoutSoFar().includes('one'));
    relay.lose();
    await write(other, 'two');
    await other.run('sandbox', 'inbound', '+14155550156', 'of another contact');
    relay.mend();
    await write(other, 'three');
    await until(() => home.stdoutSoFar().includes('three'));
    interrupt();
    const { code, stdout } = await watching;
    const rows = stdout.trim().split('\n');
    expect([code, rows.map((line) => (JSON.parse(line) as { body: string }).body)]).toEqual([0, ['one', 'two', 'three']]);
    const onTerminal = home.runOnTerminal(60, 'contacts', 'messages', 'Grace', '--watch');
    const { interrupt: stop } = home;
    await until(() => home.stderrSoFar().includes('Ctrl-C'));
    await write(other, 'When are you open?');
    await until(() => home.stdoutSoFar().includes('nine'));
    expect(home.stdoutSoFar().replaceAll(/\u001b\[\d+m|\d\d:\d\d:\d\d/g, '')).toMatch(
      /^ {4}Grace {2}When are you open\?\n {2}✓ Grace {2}AI agent: From nine to five\.\n/,
    );
    stop();
    expect((await onTerminal).code).toBe(0);
    other.remove();
    await relay.close();
    await server.close();
  }, 30_000);

  it('with a contact tell why the agent answered so, or why nobody did', async ({ home }) => {
    await answering(home);
    const { reply } = await write(home, 'When are you open?');
    await home.run('contacts', 'send', 'Grace', 'Our menu of the week');
    const ofReply = await home.run('contacts', 'messages', 'Grace', '--why');
    expect(ofReply.stdout).toBe((await home.run('messages', 'why', reply.message_id)).stdout);
    await home.run('agents', 'deactivate', 'Ada');
    const { message_id: id } = await write(home, 'Hello?');
    const unanswered = await home.run('contacts', 'messages', 'Grace', '--why', '-o', 'json');
    expect(unanswered.json).toMatchObject({ message: { id, body: 'Hello?' }, trace: { decision: { step: 'existing_agent' } } });
    expect((await home.run('contacts', 'messages', 'Grace', '--why', '--direction', 'outbound', '-o', 'json')).json.message.id).toBe(
      reply.message_id,
    );
    await home.run('contacts', 'create', '+14155550157');
    const nothing = await home.run('contacts', 'messages', '+14155550157', '--why');
    expect([nothing.code, nothing.stderr]).toEqual([5, expect.stringContaining('There is no message of the contact or of an agent')]);
    for (const [option, flags] of [
      ['--limit', ['--watch', '--limit', '3']],
      ['--why', ['--watch', '--why']],
      ['--all', ['--why', '--all']],
      ['--sort', ['--watch', '--sort', 'body']],
    ] as const) {
      const refused = await home.run('contacts', 'messages', 'Grace', ...flags);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(option)]);
    }
  });
});

describe('filters and streams of messages', () => {
  it('take a filter without a value, and name the option that has a word', async ({ home }) => {
    expect((await home.run('sessions', 'list', '--alerted', '--state', 'open', '-o', 'json')).json.chat_sessions).toEqual([]);
    expect((await home.run('notifications', 'list', '--unread', 'false', '-o', 'json')).code).toBe(0);
    const unknown = await home.run('sessions', 'list', '--open');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('did you mean --state open?') as string]);
  });

  it('say that nothing matches, and are of one account', async ({ home }) => {
    expect((await home.runOnTerminal(80, 'messages', 'search', 'nothing')).stderr).toContain('Nothing matches.');
    for (const name of ['S 1', 'S 2']) await home.run('accounts', 'create', name);
    for (const words of [
      ['messages', 'tail'],
      ['notifications', 'watch'],
    ]) {
      const ran = await home.run(...words, '--sub-account', 'S *');
      expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('acts on one account at a time') as string]);
    }
  });
});
