import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { nouns } from '../../src/cli/nouns.ts';
import { olderNode, Workplace } from '../support/processes.ts';

/** Commands of the README that are not run, and why. */
const skipped: Readonly<Record<string, string>> = {
  'msgctl login': 'asks for the key of a real account',
  'msgctl serve': 'starts a server',
  'msgctl webhooks listen': 'runs until it is interrupted',
  'msgctl messages tail': 'runs until it is interrupted',
};

const isNetworkError = (stderr: string) =>
  /^npm error code (ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|FETCH_ERROR)$/m.test(stderr);

/**
 * The commands in the README's examples, in their order, and the lines of their output that it shows. A comment that says so allows other
 * exit codes than 0.
 */
function commandsOfReadme(): { line: string; codes: number[]; shown: string[] }[] {
  const blocks = [...readFileSync('README.md', 'utf8').matchAll(/^```console\n(.*?)^```/gms)].map(([, block = '']) => block);
  const examples = blocks.flatMap((block) => block.split(/^\$ /m)).filter((example) => example.startsWith('msgctl '));
  return examples
    .map((example) => example.trimEnd().split('\n') as [string, ...string[]])
    .filter(([line]) => !Object.keys(skipped).some((command) => line.startsWith(command)))
    .map(([line, ...shown]) => ({ line, codes: [0, ...[...line.matchAll(/exits (\d)/g)].map(([, code]) => Number(code))], shown }));
}

// What a user gets: the package is packed, and installed alone.
describe('the package', () => {
  let workplace: Workplace;
  /** Where npm installs. */
  let prefix: string;
  let folder: string;
  /** What npm printed on stderr, or null where it does not reach a registry. */
  let warnings: string | null;

  beforeAll(() => {
    workplace = new Workplace();
    // The scripts would build `dist`, which other tests use.
    const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', workplace.path];
    const packed = JSON.parse(execFileSync('npm', args, { encoding: 'utf8' })) as
      | { filename: string }[]
      | Record<string, { filename: string }>;
    const [{ filename } = { filename: '' }] = Object.values(packed);
    prefix = join(workplace.path, 'prefix');
    folder = join(prefix, 'lib', 'node_modules', 'msgctl');
    warnings = install(filename);
    if (warnings === null) unpack(filename);
  });

  afterAll(() => workplace.remove());

  function install(tarball: string): string | null {
    const args = [
      'install',
      '--global',
      '--prefix',
      prefix,
      '--loglevel',
      'warn',
      '--no-audit',
      '--prefer-offline',
      '--fetch-retries',
      '0',
    ];
    const { status, stderr } = spawnSync('npm', [...args, join(workplace.path, tarball)], { cwd: workplace.path, encoding: 'utf8' });
    if (status !== 0 && isNetworkError(stderr)) return null;
    expect(status, stderr).toBe(0);
    return stderr;
  }

  /** Installs the package without its dependencies, which the bundle contains. */
  function unpack(tarball: string): void {
    for (const made of [folder, join(prefix, 'bin')]) mkdirSync(made, { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '--strip-components', '1', '-C', folder], { cwd: workplace.path });
    symlinkSync(join(folder, 'bin', 'msgctl.js'), join(prefix, 'bin', 'msgctl'));
  }

  const manualPages = () => (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { man: string[] }).man;

  const needsRegistry = ({ skip }: TestContext) => skip(warnings === null, 'npm does not reach a registry');

  it('installs without a script and without a warning', (context) => {
    needsRegistry(context);
    // Packages that others publish can be deprecated at any time.
    expect(warnings).not.toMatch(/install-scripts|EBADENGINE|msgctl/);
    const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$|prepare$/.test(name))).toEqual([]);
  });

  it('takes at most 45 MB and 80 packages', (context) => {
    needsRegistry(context);
    const packages = globSync('**/node_modules/{*,@*/*}/package.json', { cwd: prefix });
    expect(packages.length).toBeGreaterThan(8);
    expect(packages.length).toBeLessThanOrEqual(80);
    const [kilobytes] = execFileSync('du', ['-sk', prefix], { encoding: 'utf8' }).split('\t');
    expect(Number(kilobytes)).toBeLessThanOrEqual(45 * 1024);
  });

  it('has its manual pages where man looks for them', (context) => {
    needsRegistry(context);
    for (const page of manualPages()) expect(existsSync(join(prefix, 'share', 'man', 'man1', basename(page)))).toBe(true);
  });

  it('runs the commands of the README', () => {
    const path = [join(prefix, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
    const env = { PATH: path, HOME: workplace.path, MSGCTL_PROFILE: 'sandbox' };
    const commands = commandsOfReadme();
    expect(commands.length).toBeGreaterThan(25);
    for (const { line, codes, shown } of commands) {
      const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { cwd: workplace.path, env, encoding: 'utf8', input: '' });
      expect(codes, `${line}\n${stdout}${stderr}`).toContain(status);
      for (const text of shown) expect(stdout).toContain(text);
    }
  });

  it('runs without any other package', () => {
    const alone = join(workplace.path, 'alone');
    mkdirSync(alone);
    for (const name of ['bin', 'dist', 'package.json']) execFileSync('cp', ['-r', join(folder, name), alone]);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(alone, 'bin', 'msgctl.js'), 'whoami', '--profile', 'sandbox', '--jq', '.name'],
      { env: { HOME: alone }, encoding: 'utf8' },
    );
    expect([status, stdout, stderr]).toEqual([0, 'Sandbox Agency\n', '']);
  });

  const failure = (node: string, root: string) => {
    const { status, stdout, stderr } = spawnSync(node, [join(root, 'bin', 'msgctl.js'), '--version'], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([1, '']);
    return stderr;
  };

  it.runIf(olderNode)('says under an older Node in one line which one it needs, which one this is, and the two ways out', () => {
    const text = failure(olderNode ?? '', folder);
    expect(text).toMatch(/^msgctl needs Node 22\.23, or 24\.15 or newer, and this is Node [\d.]+ \(.*\): .*\n$/);
    for (const part of [olderNode, 'install Node 24 (https://nodejs.org)', 'use the archive of msgctl for Linux that brings its own Node'])
      expect(text).toContain(part);
  });

  it.each([process.execPath, ...(olderNode ? [olderNode] : [])])('says how to build it where it is not built, with %s', (node) => {
    const clone = mkdtempSync(join(workplace.path, 'clone-'));
    for (const name of ['bin', 'package.json']) execFileSync('cp', ['-r', join(folder, name), clone]);
    expect(failure(node, clone)).toBe("msgctl is not built. In its folder, run 'npm ci && npm run build'.\n");
  });

  it('names the licenses of the libraries that it contains', () => {
    const notices = readFileSync(join(folder, 'dist', 'THIRD-PARTY-NOTICES'), 'utf8');
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
    for (const name of [...Object.keys(dependencies), 'pg', 'jq-wasm', 'pdfjs-dist'])
      expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'));
    expect(notices).toContain('Mozilla Public License Version 2.0');
  });

  it('has a manual page of each command, and they name every verb', async () => {
    const texts = manualPages().map((file) => readFileSync(join(folder, file), 'utf8'));
    expect(texts).toHaveLength(nouns.length + 1);
    for (const [index, entry] of nouns.entries())
      for (const verb of (await entry.load()).verbs)
        expect(texts[index + 1]).toContain(`.SS msgctl ${`${entry.name} ${verb.name}`.trim().replaceAll('-', '\\-')}`);
  });

  const hasMan = spawnSync('man', ['--version']).status === 0;

  it.runIf(hasMan)('has manual pages that man shows without a warning', { timeout: 240_000 }, () => {
    const shown = (file: string) => {
      const { status, stdout, stderr } = spawnSync('man', ['--warnings', '-l', join(folder, file)], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, LANG: 'C.UTF-8', MANWIDTH: '80' },
      });
      expect([file, status, stderr]).toEqual([file, 0, '']);
      return stdout;
    };
    const [program, ...others] = manualPages().map(shown);
    expect(program).toMatch(/^ +msgctl - operate a customer-messaging account/m);
    expect(program).toMatch(/^ +msgctl-tags\(1\)$/m);
    expect(others.join('')).toMatch(/^ +msgctl tags create /m);
  });
});
