import { afterEach, beforeEach, expect, it } from 'vitest';
import { Home } from '../../support/terminal-world.ts';

let home: Home;

beforeEach(() => {
  home = new Home();
  home.env = { MSGCTL_PROFILE: 'sandbox' };
});

afterEach(() => home.remove());

it('faqs dedupe lists with --propose which FAQs could be merged, without a question and without a change', async () => {
  await home.run('campaigns', 'create', 'Proposed');
  const create = async (question: string, answer: string) =>
    (await home.run('faqs', 'create', 'Proposed', question, answer, '-o', 'json')).json.faq_id as string;
  const ids = [await create('When do you ship?', 'On Mondays.'), await create('When do you ship', 'On Tuesdays.')];
  const { code, json, stderr } = await home.run('faqs', 'dedupe', '--propose', '-o', 'json');
  expect([code, json]).toEqual([
    0,
    { proposals: [{ reason: 'same_question', score: 1, faq_ids: ids, questions: ['When do you ship?', 'When do you ship'] }] },
  ]);
  expect(stderr).not.toContain('Merge the duplicate');
  const shown = await home.run('faqs', 'dedupe', '--propose');
  expect(ids.filter((id) => !shown.stdout.includes(id))).toEqual([]);
  expect(shown.stderr).toBe('Nothing was changed. Without --propose, FAQs with the same question and answer are merged.\n');
});
