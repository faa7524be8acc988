import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Home } from '../../support/terminal-world.ts';

let home: Home;

beforeEach(() => {
  home = new Home();
});

afterEach(() => home.remove());

const config = (...argv: string[]) => home.sandbox('config', ...argv);

const shown = async () => (await config('show', '-o', 'json')).json.account_config;

it('config set takes KEY=VALUE, an empty value clears, and --input takes a document', async () => {
  expect(
    (await config('set', 'timezone=Europe/Berlin', 'quiet_hours=22:00-07:00', 'session_hours=48', 'auto_recharge_enabled=true')).code,
  ).toBe(0);
  expect(await shown()).toMatchObject({
    timezone: 'Europe/Berlin',
    quiet_hours: { start_time: '22:00', end_time: '07:00' },
    session_hours: 48,
    auto_recharge_enabled: true,
  });
  const input = join(home.path, 'config.json');
  writeFileSync(input, '{"default_country":"DE","session_hours":12}');
  expect((await config('set', 'quiet_hours=', '--input', input)).code).toBe(0);
  expect(await shown()).toMatchObject({ default_country: 'DE', session_hours: 12, quiet_hours: null, timezone: 'Europe/Berlin' });
});

it.each([
  [['set'], 'Give at least one setting as KEY=VALUE'],
  [['set', 'timezon=UTC'], "'timezon=UTC' is not a setting as KEY=VALUE\nThe settings are business_name, timezone,"],
  [['set', 'quiet_hours=night'], 'quiet_hours must be two times, such as quiet_hours=22:00-07:00'],
  [['set', 'session_hours=many'], "session_hours 'many' must be"],
  [['set', 'auto_recharge_enabled=maybe'], "auto_recharge_enabled 'maybe' must be"],
])('config %j is refused', async (argv, message) => {
  const { code, stderr } = await config(...argv);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
