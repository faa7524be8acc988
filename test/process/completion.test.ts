import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { program } from '../support/processes.ts';
import { Terminal } from '../support/terminal.ts';
import { it } from '../support/workplace-test.ts';

it.beforeEach(({ workplace }) => {
  const bin = join(workplace.path, 'bin');
  mkdirSync(bin);
  // Completes as the program does, and otherwise prints its arguments: what the shell made of the line.
  const script = `#!/bin/sh
case $1 in complet*) exec '${process.execPath}' '${program}' "$@";; esac
printf 'ran:'; printf '<%s>' "$@"; echo
`;
  writeFileSync(join(bin, 'msgctl'), script, { mode: 0o755 });
  writeFileSync(join(workplace.path, 'new tag.json'), '{}');
});

/** How each shell starts without the user's configuration, and loads the completions. */
const shells = {
  bash: ['bash --norc --noprofile -i', 'eval "$(msgctl completion bash)"'],
  zsh: ['zsh -f -i', 'autoload -U compinit; compinit -u -D; eval "$(msgctl completion zsh)"'],
  fish: ['fish --no-config -i', 'msgctl completion fish | source'],
} as const;

/** Lines before Tab is pressed, and the arguments that the program gets when Enter is pressed next. */
const lines = [
  ['msgctl tags d', '<tags><delete>'],
  ['msgctl tags list --output=y', '<tags><list><--output=yaml>'],
  ['msgctl keys create --section Contacts,Tag', '<keys><create><--section><Contacts,Tags>'],
  ['msgctl webhooks create x --events Appointment\\ B', '<webhooks><create><x><--events><Appointment Booked>'],
  ['msgctl webhooks create x --events "Appointment B', '<webhooks><create><x><--events><Appointment Booked>'],
  ['msgctl webhooks create x --events=Replies,Appointment\\ B', '<webhooks><create><x><--events=Replies,Appointment Booked>'],
  ['msgctl sandbox clock freeze 2027-01-01T10:00:00Z --output j', '<sandbox><clock><freeze><2027-01-01T10:00:00Z><--output><json>'],
  ['msgctl tags create --input new', '<tags><create><--input><new tag.json>'],
  ['msgctl tags create --input=new', '<tags><create><--input=new tag.json>'],
  ['msgctl tags create new', '<tags><create><new>'],
] as const;

describe.each(Object.entries(shells))('completion in %s', (shell, [start, load]) => {
  it.runIf(isInstalled(shell))('completes words in a terminal, and the program gets what was shown', async ({ workplace }) => {
    const env = { HOME: workplace.path, PATH: `${join(workplace.path, 'bin')}:${process.env.PATH}`, LANG: 'C.UTF-8' };
    const terminal = new Terminal(`cd '${workplace.path}'; exec ${start}`, env, 200);
    terminal.type(`${load}; echo load""ed\r`);
    await terminal.waitFor('loaded\n');
    for (const [line, args] of lines) {
      terminal.type(`${line}\t\r`);
      await terminal.waitFor('ran:');
      await terminal.waitFor('>\n');
      expect(terminal.text.split('ran:').at(-1)?.split('\n')[0]).toBe(args);
    }
    terminal.type('exit\r');
    await terminal.end();
  });
});

function isInstalled(shell: string): boolean {
  try {
    execFileSync('which', [shell]);
    return true;
  } catch {
    return false;
  }
}
