import { describe, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox' });

it.beforeEach(async ({ home }) => {
  await home.run('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
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

/** Makes a broadcast to Ada, who gets it, and to others, who do not. @returns its id */
async function toThree(home: Home): Promise<string> {
  await home.run('contacts', 'create', '+14155550132', '--first-name', 'Ben');
  await home.run('contacts', 'create', '+14155550133', '--first-name', 'Cleo');
  await home.run('contacts', 'update', 'Ben', '--do-not-disturb');
  await home.run('contacts', 'update', 'Cleo', '--private-mode');
  const argv = ['broadcasts', 'create', 'Spring', '--contacts', 'Ada,Ben,Cleo', '--body', 'Hi', '-o', 'json'];
  return (await home.run(...argv)).json.broadcast.id as string;
}

const lacks = (home: Home, path: string) =>
  home.run('sandbox', 'faults', 'add', '--path', path, '--method', 'GET', '--status', '404', '--times', '9');

describe('broadcasts check', () => {
  it('says whom it reaches, who is left out and why, what it costs and when it starts', async ({ home }) => {
    const id = await toThree(home);
    home.env.NO_COLOR = '1';
    const { code, stdout } = await home.runOnTerminal(80, 'broadcasts', 'check', 'Spring');
    expect([code, stdout]).toEqual([
      0,
      [
        'Spring on chatapp',
        '',
        'Reached      1 of 3 contacts',
        'Not reached  1  The contact has do-not-disturb turned on',
        '             1  The contact is in private mode',
        'Cost         1 credit of 1,000; 999 are left afterwards',
        'Starts       as soon as it is approved',
        '',
      ].join('\n'),
    ]);
    const { json } = await home.run('broadcasts', 'check', id, '-o', 'json');
    expect(json).toMatchObject({ preview: { recipients: 3, reachable: 1, unreachable: { recipient_dnd: 1, private_mode: 1 } } });
    expect((await home.run('broadcasts', 'get', id, '-o', 'json')).json.broadcast.status).toBe('Draft');
  });

  it('says that a service has no previews, and shows what it knows', async ({ home }) => {
    const id = await toThree(home);
    await lacks(home, `/broadcasts/${id}/preview`);
    const { code, stdout, stderr } = await home.run('broadcasts', 'check', id);
    expect([code, stderr]).toEqual([0, expect.stringContaining('This service does not preview broadcasts')]);
    expect(stdout).toMatch(/recipients +3/);
    await home.run('broadcasts', 'submit', id);
    expect((await home.run('broadcasts', 'approve', id, '--yes')).code).toBe(0);
  });
});

describe('broadcasts approve', () => {
  it('shows what it does above the question', async ({ home }) => {
    const id = await toThree(home);
    await home.run('broadcasts', 'submit', id);
    const { code, stderr } = await home.run('broadcasts', 'approve', id);
    expect(code).toBe(2);
    expect(stderr).toMatch(/Reached +1 of 3 contacts\nNot reached +1 +The contact has/);
    expect(stderr).toContain('Send "Spring" on chatapp to 1 of 3 contacts now?');
  });

  it('refuses what would reach nobody, also with --yes', async ({ home }) => {
    await home.run('contacts', 'update', 'Ada', '--do-not-disturb');
    await create(home, 'Hi');
    await home.run('broadcasts', 'submit', 'Spring');
    for (const answer of [[], ['--yes'], ['--confirm', 'Spring']]) {
      const { code, stdout, stderr } = await home.run('broadcasts', 'approve', 'Spring', ...answer);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain("The broadcast 'Spring' would reach none of its 1 contact: nothing is approved.");
      expect(stderr).toContain('1 × The contact has do-not-disturb turned on');
    }
    expect((await home.run('broadcasts', 'get', 'Spring', '-o', 'json')).json.broadcast.status).toBe('Pending Approval');
  });
});

describe('broadcasts recipients', () => {
  const send = async (home: Home) => {
    const id = await toThree(home);
    await home.run('broadcasts', 'submit', id);
    await home.run('broadcasts', 'approve', id, '--yes');
    await home.run('broadcasts', 'wait', id);
    return id;
  };

  it('has a row for each, and narrows them by status', async ({ home }) => {
    await send(home);
    const { stdout } = await home.run('broadcasts', 'recipients', 'Spring', '--status', 'failed');
    expect(stdout).not.toContain('Ada');
    expect(stdout).toMatch(/NAME +ADDRESS +STATUS +AT +WHY\n.*Ben +\+14155550132 +failed .* The contact has do-not-disturb turned on/);
    const csv = (await home.run('broadcasts', 'recipients', 'Spring', '-o', 'csv')).stdout.split('\r\n');
    expect(csv[0]).toBe('name,address,status,at,error.text,error.code,contact_id,message_id');
    expect(csv.slice(1, 4).map((line) => line.split(',')[2])).toEqual(['sent', 'failed', 'failed']);
    expect((await home.run('broadcasts', 'recipients', 'Spring', '--status', 'lost')).code).toBe(2);
  });

  it('of one broadcast are those of another', async ({ home }) => {
    await send(home);
    const again = (...argv: string[]) => home.run('broadcasts', 'create', 'Again', '--body', 'Hi', ...argv, '-o', 'json');
    const { json } = await again('--recipients-of', 'Spring', '--status', 'failed');
    expect(json.broadcast.contact_ids).toHaveLength(2);
    expect((await again('--recipients-of', 'Spring')).json.broadcast.contact_ids).toHaveLength(3);
    expect((await again('--recipients-of', 'Spring', '--status', 'read')).code).toBe(5);
    expect((await again('--status', 'failed')).code).toBe(2);
  });

  it('are computed where a service does not list them', async ({ home }) => {
    const id = await send(home);
    await lacks(home, `/broadcasts/${id}/recipients`);
    const { code, json } = await home.run('broadcasts', 'recipients', id, '-o', 'json');
    expect(code).toBe(0);
    const shown = json.recipients.map(({ name, status, error }: { name: string; status: string; error: { code: string } | null }) => [
      name,
      status,
      error?.code ?? null,
    ]);
    expect(shown).toEqual([
      ['Ada', 'sent', null],
      ['Ben', 'failed', 'recipient_dnd'],
      ['Cleo', 'failed', 'private_mode'],
    ]);
    const { stderr } = await home.run('broadcasts', 'recipients', id);
    expect(stderr).toContain('This service does not list the recipients of broadcasts.');
    expect((await home.run('broadcasts', 'recipients', 'brd_none')).code).toBe(5);
  });
});
