import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect } from 'vitest';
import { it } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

it.beforeEach(async ({ home }) => {
  home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_DATA_DIR: join(home.path, 'data') };
  await home.run('agents', 'create', 'Ada');
  await home.run('campaigns', 'create', 'Support', '--agent', 'Ada');
  await home.run('faqs', 'create', 'Support', 'When do you open on weekdays?', 'At nine.');
  await home.run('sandbox', 'settle');
});

const json = async (home: Home, ...argv: string[]) => (await home.run(...argv, '-o', 'json')).json;

/** Connects a channel, and lets contacts ask what the agent does not know. */
async function ask(home: Home, ...questions: string[]): Promise<void> {
  await home.run('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
  await home.run('routing', 'defaults', 'set', 'chatapp', 'Ada');
  for (const [index, question] of questions.entries())
    expect((await home.run('sandbox', 'inbound', question, '--from', `+1415555010${index}`)).code).toBe(0);
}

describe('kb gaps', () => {
  it('lists what was asked: how often, by how many, since when, and the nearest FAQ with its score', async ({ home }) => {
    await ask(home, 'Are you open on Sunday?', 'are you open on sunday', 'Do you sell parking permits?');
    const stdout = stripVTControlCharacters((await home.runOnTerminal(160, 'kb', 'gaps')).stdout);
    expect(stdout).toMatch(/QUESTION .* COUNT .* CONTACTS .* FIRST .* NEAREST .* STATUS/);
    expect(stdout).toMatch(/Are you open on\s+Sunday\? .* 2 .* 2 .* 0\.\d\d When do you open/);
    const { gaps } = await json(home, 'kb', 'gaps', 'list', '--frequent', '--status', 'open');
    expect(gaps.map(({ count }: { count: number }) => count)).toEqual([2, 1]);
    expect(await json(home, 'kb', 'gaps', 'list', '--agent', 'Ada')).toMatchObject({ gaps: [{ count: 1 }, { count: 2 }] });
  });

  it('answers a gap by words that it alone has, and repeats its question', async ({ home }) => {
    await ask(home, 'Are you open on Sunday?', 'Do you sell parking permits on Sunday?');
    const several = await home.run('kb', 'gaps', 'answer', 'sunday', 'At ten.');
    expect([several.code, several.stderr]).toEqual([
      2,
      expect.stringContaining("'Do you sell parking permits on Sunday?', 'Are you open on Sunday?'"),
    ]);
    expect((await home.run('kb', 'gaps', 'get', 'horses')).code).toBe(5);
    const { code, stderr } = await home.run('kb', 'gaps', 'answer', 'open on sunday', 'At ten.');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^Answered 'Are you open on Sunday\?' with faq_\S+\.\n$/)]);
    const { gaps } = await json(home, 'kb', 'gaps', 'list', '--status', 'answered');
    const { faq } = await json(home, 'faqs', 'get', gaps[0].faq_id);
    expect(faq).toMatchObject({ question: 'Are you open on Sunday?', answer: 'At ten.' });
    await home.run('sandbox', 'settle');
    expect((await json(home, 'kb', 'ask', 'Ada', 'open on sunday?')).answer).toBe('At ten.');
    // It is the only open one with the word now.
    expect((await json(home, 'kb', 'gaps', 'dismiss', 'SUNDAY')).gap).toMatchObject({ status: 'dismissed' });
  });

  it('wants the campaign of an agent that has several, or none', async ({ home }) => {
    await ask(home, 'Are you open on Sunday?');
    await home.run('campaigns', 'create', 'Sales', '--agent', 'Ada');
    const unclear = await home.run('kb', 'gaps', 'answer', 'sunday', 'At ten.');
    expect([unclear.code, unclear.stderr]).toEqual([2, expect.stringMatching(/several campaigns: '(Sales', 'Support|Support', 'Sales)'/)]);
    const linked = await json(home, 'kb', 'gaps', 'answer', 'sunday', '--faq', 'When do you open on weekdays?', '--campaign', 'Sales');
    expect((await json(home, 'faqs', 'get', linked.faq_id)).faq.campaign_ids).toHaveLength(2);
    const neither = await home.run('kb', 'gaps', 'answer', linked.gap.id as string, '--campaign', 'Sales');
    expect([neither.code, neither.stderr]).toEqual([2, expect.stringContaining('--faq')]);
  });

  it('suggests the FAQs that come nearest', async ({ home }) => {
    await ask(home, 'Are you open on Sunday?');
    const { faqs } = await json(home, 'kb', 'gaps', 'suggest', 'sunday');
    expect(faqs).toMatchObject([{ question: 'When do you open on weekdays?' }]);
    expect(String(faqs[0].score)).toMatch(/^0\.\d{1,2}$/);
  });
});

it('kb ask shows the FAQs that it rejected, the best three, with scores to two places', async ({ home }) => {
  for (const when of ['at Easter', 'in winter', 'in summer', 'today'])
    await home.run('faqs', 'create', 'Support', `Do you open ${when}?`, `${when}: no.`);
  await home.run('sandbox', 'settle');
  const { stdout } = await home.runOnTerminal(120, 'kb', 'ask', 'Ada', 'open parking permits');
  expect(stdout).toContain('The FAQs that come nearest, which it rejected:');
  expect(stdout.match(/ 0\.\d\d /g)).toHaveLength(3);
  const { faqs } = await json(home, 'kb', 'ask', 'Ada', 'open parking permits');
  expect(faqs.length).toBeGreaterThan(3);
  for (const { score } of faqs) expect(String(score)).toMatch(/^0\.\d{1,2}$/);
  expect((await home.run('kb', 'ask', 'Ada', 'horses')).stdout).toContain('No FAQ has a word of the question.');
});

it('kb groups are found by name, and applied to an agent or a campaign', async ({ home }) => {
  await home.run('agents', 'create', 'Bea');
  await home.run('kb', 'groups', 'create', 'Hours');
  expect(await json(home, 'kb', 'groups', 'add', 'hours', 'When do you open on weekdays?')).toMatchObject({ kb_group: { faq_count: 1 } });
  const applied = await home.run('kb', 'groups', 'apply', 'Hours', '--agent', 'Bea');
  expect([applied.code, applied.stderr]).toEqual([0, "Applied the 1 FAQ of the group 'Hours'.\n"]);
  await home.run('sandbox', 'settle');
  expect((await json(home, 'kb', 'ask', 'Bea', 'when do you open on weekdays?')).answer).toBe('At nine.');
  const neither = await home.run('kb', 'groups', 'apply', 'Hours');
  expect([neither.code, neither.stderr]).toEqual([2, expect.stringContaining('--agent')]);
  await home.run('kb', 'groups', 'unapply', 'Hours', '--agent', 'Bea');
  expect((await json(home, 'kb', 'groups', 'get', 'Hours')).kb_group).toMatchObject({ agent_ids: [], campaign_ids: [] });
  expect((await home.run('kb', 'groups', 'delete', 'Hours', '--yes')).code).toBe(0);
});

it('sessions summarize sums a conversation up, and summaries list shows it', async ({ home }) => {
  await ask(home, 'When do you open on weekdays?');
  const { chat_sessions: sessions } = await json(home, 'sessions', 'list');
  const { summary } = await json(home, 'sessions', 'summarize', sessions[0].id);
  expect(summary.text).toContain('Ada with 1 message');
  expect((await json(home, 'summaries', 'list', '--kind', 'session', '--contact', '+14155550100')).summaries).toEqual([summary]);
  expect((await json(home, 'summaries', 'get', summary.id)).summary).toEqual(summary);
});
