import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Home } from '../../support/terminal-world.ts';

let home: Home;

beforeEach(async () => {
  home = new Home();
  home.env = { MSGCTL_PROFILE: 'sandbox' };
  await home.run('contacts', 'create', '+14155550131', '--first-name', 'Ada');
});

afterEach(() => home.remove());

const create = (body: string) => home.run('broadcasts', 'create', 'Spring', '--contacts', 'Ada', '--body', body);

describe('broadcasts create', () => {
  it('says that placeholders in a body are not filled', async () => {
    expect((await create('Hi {{first_name}}')).stderr).toContain('The body is sent as it is: only templates fill placeholders');
    expect((await create('Hi')).stderr).not.toContain('placeholders');
  });
});

describe('broadcasts approve', () => {
  it('refuses a draft before it asks, and names the step before', async () => {
    await create('Hi');
    const { code, stderr } = await home.run('broadcasts', 'approve', 'Spring', '--yes');
    expect([code, stderr]).toEqual([6, "Error: The broadcast 'Spring' is a draft\nSubmit it first: `msgctl broadcasts submit Spring`.\n"]);
  });
});
