import { describe, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox' });

it.beforeEach(async ({ home }) => {
  await home.run('contacts', 'create', '+14155550131', '--first-name', 'Ada');
});

const create = (home: Home, body: string) => home.run('broadcasts', 'create', 'Spring', '--contacts', 'Ada', '--body', body);

describe('broadcasts create', () => {
  it('says that placeholders in a body are not filled', async ({ home }) => {
    expect((await create(home, 'Hi {{first_name}}')).stderr).toContain('The body is sent literally: only templates fill placeholders');
    expect((await create(home, 'Hi')).stderr).not.toContain('placeholders');
  });
});

describe('broadcasts create without recipients', () => {
  it('exits 2 and names the options, as it does without a text', async ({ home }) => {
    const refusal = async (...argv: string[]) => {
      const { code, stderr } = await home.run('broadcasts', 'create', 'Spring', ...argv);
      return [code, stderr.split('\n', 1)[0]];
    };
    expect(await refusal('--body', 'Hi')).toEqual([2, 'Error: Give --contacts or --lists']);
    expect(await refusal('--contacts', 'Ada')).toEqual([2, 'Error: Give either --body or --template']);
  });
});

describe('broadcasts approve', () => {
  it('refuses a draft before it asks, and names the step before', async ({ home }) => {
    await create(home, 'Hi');
    const { code, stderr } = await home.run('broadcasts', 'approve', 'Spring', '--yes');
    expect([code, stderr]).toEqual([6, "Error: The broadcast 'Spring' is a draft\nSubmit it first: `msgctl broadcasts submit Spring`.\n"]);
  });

  it('of few recipients is confirmed by --yes and by the name', async ({ home }) => {
    for (const answer of [['--yes'], ['--confirm', 'Spring']]) {
      const { broadcast } = (await home.run('broadcasts', 'create', 'Spring', '--contacts', 'Ada', '--body', 'Hi', '-o', 'json')).json;
      await home.run('broadcasts', 'submit', broadcast.id);
      expect(await home.run('broadcasts', 'approve', broadcast.id, '--confirm', 'Autumn')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("--confirm 'Autumn' is not the name in the question: Spring"),
      });
      expect(await home.run('broadcasts', 'approve', broadcast.id)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Add --yes'),
      });
      expect((await home.run('broadcasts', 'approve', broadcast.id, ...answer)).code).toBe(0);
      // A broadcast that was approved is not asked about again.
      const again = await home.run('broadcasts', 'approve', broadcast.id);
      expect([again.code, again.stderr]).toEqual([6, expect.stringContaining('it cannot be approved')]);
    }
  });
});
