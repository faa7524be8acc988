import { describe, expect, it as plain } from 'vitest';
import { parseEvery } from '../../../src/cli/nouns/schedules/every.ts';
import { it as base } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox', NO_COLOR: '1' });

const run = async (home: Home, ...words: readonly string[]) => {
  const result = await home.run(...words);
  expect(result.code, `${words.join(' ')}: ${result.stderr}`).toBe(0);
  return result;
};

describe('--every', () => {
  plain.for([
    ['day 9:00', 'FREQ=DAILY', '09:00'],
    ['days 9am', 'FREQ=DAILY', '09:00'],
    ['Monday 9:30', 'FREQ=WEEKLY;BYDAY=MO', '09:30'],
    ['mon,fri 18:00', 'FREQ=WEEKLY;BYDAY=MO,FR', '18:00'],
    ['weekday 8:00', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', '08:00'],
    ['2 weeks friday 9:00', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR', '09:00'],
    ['month 31 9:00', 'FREQ=MONTHLY;BYMONTHDAY=31', '09:00'],
    ['3 months last 6 pm', 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1', '18:00'],
    ['weekdays 8:30', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', '08:30'],
    ['daily 9:00', 'FREQ=DAILY', '09:00'],
    ['2 mondays 9:00', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', '09:00'],
    ['monday, friday 9:00', 'FREQ=WEEKLY;BYDAY=MO,FR', '09:00'],
    ['hour', 'FREQ=HOURLY', null],
    ['6 hours', 'FREQ=HOURLY;INTERVAL=6', null],
  ] as const)('reads %s', ([text, rrule, time]) => {
    expect(parseEvery(text)).toEqual({ rrule, time });
  });

  plain.for(['', '9:00', 'monday', 'someday 9:00', 'month 32 9:00', 'week 9:00', '0 days 9:00', 'hour 9:00', 'day 25:00'])(
    'refuses %j',
    (text) => {
      expect(() => parseEvery(text)).toThrow(/must be such as/);
    },
  );
});

describe('schedules', () => {
  it('show the next five times before they ask', async ({ home }) => {
    await run(home, 'sandbox', 'clock', 'freeze', '2030-03-29T12:00:00Z');
    await run(home, 'contacts', 'create', '+14155550123', '--first-name', 'Ada');
    const words = ['schedules', 'create', 'Reminder', '--every', 'weekday 9:00', '--timezone', 'Europe/Berlin'];
    const asked = await home.run(...words, '--message', 'Hello', '--contact', 'Ada');
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain(
      'Next times (Europe/Berlin):\n  Mon 2030-04-01 09:00\n  Tue 2030-04-02 09:00\n  Wed 2030-04-03 09:00\n' +
        '  Thu 2030-04-04 09:00\n  Fri 2030-04-05 09:00\n',
    );
    expect(asked.stderr).toContain("Create the scheduled task 'Reminder'?");
    expect(asked.stderr).toContain('msgctl schedules delete Reminder undoes it. Add --yes to confirm it.');
    const made = (await run(home, ...words, '--message', 'Hello', '--contact', 'Ada', '--yes', '-o', 'json')).json.scheduled_task;
    expect(made).toMatchObject({
      run_at: '2030-04-01T07:00:00.000Z',
      rrule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR',
      timezone: 'Europe/Berlin',
      action: { type: 'message', body: 'Hello' },
    });
    const { stdout } = await home.runOnTerminal(80, 'schedules', 'list', '--fields', 'name,does,status');
    expect(stdout).toContain('│ Reminder │ message Ada: Hello │ ✓ active │');
    const whole = await home.runOnTerminal(100, 'schedules', 'list');
    expect(whole.stdout).toContain('│ Reminder │ message Ada: Hello │ Mon 2030-04-01 09:00 │ Europe/Berlin │');
    const failed = await home.run('schedules', 'run', 'Reminder');
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('It failed: The channel was not connected.')]);
    await run(home, 'schedules', 'pause', 'Reminder');
    await run(home, 'schedules', 'update', 'Reminder', '--name', 'Other');
    const moved = (await run(home, 'schedules', 'update', 'Other', '--at', '2030-05-01T09:00', '--yes', '-o', 'json')).json;
    expect(moved.scheduled_task).toMatchObject({ name: 'Other', status: 'paused' });
    await run(home, 'schedules', 'delete', 'Other', '--yes');
  });

  it('keep their time zone when they get another time, and begin with the first time that fits', async ({ home }) => {
    await run(home, 'sandbox', 'clock', 'freeze', '2030-01-07T08:00:00Z');
    const asTask = async (...words: string[]) => (await run(home, 'schedules', ...words, '--yes', '-o', 'json')).json.scheduled_task;
    await asTask('create', 'Far', '--every', 'day 9:00', '--timezone', 'America/New_York', '--task', 'x');
    expect(await asTask('update', 'Far', '--every', 'day 10:00')).toMatchObject({
      timezone: 'America/New_York',
      next_run_at: '2030-01-07T15:00:00.000Z',
    });
    const first = await asTask('create', 'Near', '--every', '2 weeks monday 9:00', '--timezone', 'UTC', '--task', 'x');
    expect(first.next_run_at).toBe('2030-01-07T09:00:00.000Z');
    await run(home, 'sandbox', 'clock', 'advance', '2h');
    expect((await run(home, 'schedules', 'get', 'Near', '-o', 'json')).json.scheduled_task.next_run_at).toBe('2030-01-21T09:00:00.000Z');
  });

  it.for([
    [['--task', 'x', '--message', 'y', '--at', '2099-01-01'], '--message and --task cannot be used together'],
    [['--task', 'x', '--every', 'day 9:00', '--rrule', 'FREQ=DAILY'], '--every and --rrule cannot be used together'],
    [
      ['--task', 'x', '--at', '2099-01-01', '--rrule', 'FREQ=MINUTELY'],
      "--rrule 'FREQ=MINUTELY' has occurrences that are less than an hour apart",
    ],
    [['--task', 'x', '--at', '2020-01-01'], "--at '2020-01-01' must be in the future"],
    [['--task', 'x'], "Say when: --every, such as 'monday 9:00', or --at with a time"],
    [['--at', '2099-01-01'], 'Say what the task does: --message, --template, --broadcast, --task, --tag or --untag'],
    [['--task', 'x', '--at', '2099-01-01', '--rrule', 'FREQ=DAILY;BYSETPOS=1'], 'must have BYSETPOS only beside another BY part'],
    [['--tag', 'VIP', '--at', '2099-01-01'], "There is no tag 'VIP'"],
  ] as const)('refuse %j', async ([words, message], { home }) => {
    const { code, stderr } = await home.run('schedules', 'create', 'x', ...words, '--yes');
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
  });
});
