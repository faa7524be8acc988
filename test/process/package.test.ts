import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workplace } from '../support/processes.ts';

// What `npm install` unpacks.
describe('the package', () => {
  let workplace: Workplace;
  let folder: string;

  beforeAll(() => {
    workplace = new Workplace();
    // The scripts would build `dist`, which other tests use.
    const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', workplace.path];
    const packed = JSON.parse(execFileSync('npm', args, { encoding: 'utf8' })) as
      { filename: string }[] | Record<string, { filename: string }>;
    const [{ filename } = { filename: '' }] = Object.values(packed);
    execFileSync('tar', ['-xzf', filename], { cwd: workplace.path });
    folder = join(workplace.path, 'package');
  });

  afterAll(() => workplace.remove());

  const page = () => {
    const { man } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { man: [string] };
    return join(folder, man[0]);
  };

  it('has the manual page of the commands, which npm links', () => {
    const text = readFileSync(page(), 'utf8');
    for (const command of ['tags create', 'webhooks list', 'serve']) expect(text).toContain(command.replace('-', '\\-'));
  });

  const hasMan = spawnSync('man', ['--version']).status === 0;

  it.runIf(hasMan)('has a manual page that man shows without a warning', () => {
    const { status, stdout, stderr } = spawnSync('man', ['--warnings', '-l', page()], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, LANG: 'C.UTF-8', MANWIDTH: '80' },
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^ +msgctl - operate a customer-messaging account/m);
    expect(stdout).toMatch(/^ +msgctl tags create /m);
  });

  it('has the scripts that complete commands', () => {
    for (const file of ['msgctl.bash', '_msgctl', 'msgctl.fish', 'msgctl.ps1'])
      expect(readFileSync(join(folder, 'completions', file), 'utf8')).toContain('msgctl complete');
  });
});
