import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const program = `import(process.argv[1]).then(async ({ readICalendar }) => {
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', 'UID:1', 'DTSTART:20270101T100000Z', 'DTEND:20270101T110000Z',
    'SUMMARY:A visit', 'END:VEVENT', 'END:VCALENDAR', ''];
  for (const _ of [1, 2, 3]) {
    await readICalendar(lines.join('\\r\\n'), 0, 'UTC');
    console.log('read');
  }
})`;

it('a program that only reads calendars, one after the other, reads them all and ends', async () => {
  const reader = new URL('../../../../src/service/areas/calendars/icalendar/read.ts', import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', program, reader.href]);
  expect(stdout).toBe('read\nread\nread\n');
});
