import { expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox' });

const hoursAfter = async (home: Home, ...argv: string[]) => {
  const { code, stderr, json } = await home.run('events', ...argv, '-o', 'json');
  expect([code, stderr]).toEqual([0, '']);
  return json.event.availability as unknown;
};

it('the hours of event types are given by days, and days that are left out keep theirs', async ({ home }) => {
  const monday = [
    { start_time: '09:00', end_time: '12:30' },
    { start_time: '14:00', end_time: '18:00' },
  ];
  const friday = [{ start_time: '10:00', end_time: '11:00' }];
  expect(await hoursAfter(home, 'create', 'Cut', '--monday', '9:00-12:30,14:00-18:00', '--friday', '10:00-11:00')).toEqual({
    monday,
    friday,
  });
  expect(await hoursAfter(home, 'update', 'Cut', '--friday', 'closed')).toEqual({ monday, friday: [] });
  expect(await hoursAfter(home, 'update', 'Cut', '--slot-minutes', '45')).toEqual({ monday, friday: [] });
  const sunday = { start_time: '08:00', end_time: '09:00' };
  const replaced = await hoursAfter(home, 'update', 'Cut', '--availability', JSON.stringify({ sunday }), '--friday', '10:00-11:00');
  expect(replaced).toEqual({ sunday, friday });
  home.stdin = JSON.stringify({ availability: { monday } });
  expect(await hoursAfter(home, 'update', 'Cut', '--input', '-', '--friday', 'closed')).toEqual({ monday, friday: [] });
  expect(await home.run('events', 'update', 'Cut', '--monday', '22:00-02:00')).toMatchObject({
    code: 2,
    stderr: 'Error: --monday must end after it starts\n',
  });
  expect((await home.run('events', 'create', 'Shave', '--monday', '9')).code).toBe(2);
});
