import { expect, onTestFinished } from 'vitest';
import { keys, Terminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { it } from '../support/workplace-test.ts';

it('Ctrl-C ends an endless jq program, even after the spinner has handled signals', async ({ workplace }) => {
  await workplace.run(['sandbox', 'faults', 'add', '--path', '/tags', '--delay-ms', '1000']);
  const terminal = new Terminal(['tags', 'list', '--profile', 'sandbox', '--jq', 'last(repeat(1))'], { HOME: workplace.path });
  await terminal.waitFor('Waiting');
  // The spinner shows the cursor again when the answer arrives; the jq program then starts.
  await until(() => terminal.raw.includes('\u001b[?25h'));
  // An interrupt during the removal of the handlers is lost, so Ctrl-C is pressed repeatedly.
  const pressed = setInterval(() => terminal.type(keys.interrupt), 50);
  onTestFinished(() => clearInterval(pressed));
  expect(await terminal.end()).toBe(130);
});
