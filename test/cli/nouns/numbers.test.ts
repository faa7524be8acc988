import { expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox', NO_COLOR: '1' });

it('numbers are found as people write them and by label, and show who answers', async ({ home }) => {
  await home.run('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
  await home.run('agents', 'create', 'Ada');
  await home.run('routing', 'defaults', 'set', 'chatapp', 'Ada');
  const label = async (...argv: string[]) => (await home.run('numbers', 'label', ...argv, '-o', 'json')).json.phone_number.label as unknown;
  expect(await label('+1 (415) 555-0100', 'Front desk')).toBe('Front desk');
  const { stdout } = await home.runOnTerminal(80, 'numbers', 'get', 'front desk');
  expect(stdout).toMatch(/^number +\+14155550100$/m);
  expect(stdout).toMatch(/^agents +Ada$/m);
  await home.run('sandbox', 'channels', 'add', 'sms', '+14155550100');
  const csv = await home.run('numbers', 'list', '-o', 'csv', '--fields', 'number,channels.channel,default_agents.agent_id');
  expect(csv.stdout).toMatch(/\r\n'?\+14155550100,"chatapp,sms","agt_[\w-]+,"\r\n/);
  const list = await home.runOnTerminal(120, 'numbers', 'list');
  expect(list.stdout).toMatch(/│ \+14155550100 │ Front desk │.* Ada, nobody +│/);
  expect(await label('Front desk', '')).toBeNull();
  const { code, stderr } = await home.run('numbers', 'get', '+14155550199');
  expect([code, stderr]).toEqual([5, expect.stringContaining('`msgctl numbers list` lists them.')]);
});
