import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { freePort } from '../support/free-port.ts';
import { program, type Workplace } from '../support/processes.ts';
import { html, Site } from '../support/site.ts';
import { it, sandbox } from '../support/workplace-test.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** The code blocks of a recipe, by their language. */
function blocksOf(page: string, language: string): string[] {
  const text = readFileSync(join('docs/recipes', `${page}.md`), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, found, code = '']) => (found === language ? [code] : []));
}

const block = (page: string, language: string, index = 0) => blocksOf(page, language)[index] ?? '';

/** Runs a shell script where `msgctl` is this program, with the profile `sandbox`. */
async function shell(workplace: Workplace, script: string, env: Record<string, string> = {}) {
  const bin = join(workplace.path, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'msgctl'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 });
  const options = {
    cwd: workplace.path,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: workplace.path, MSGCTL_PROFILE: 'sandbox', ...env },
  };
  return await promisify(execFile)('bash', ['-eu', '-o', 'pipefail', '-c', script], options);
}

describe('verify a delivery', () => {
  const secret = 'whsec_of_a_test';
  const body = '{"event":"Replies","text":"Grüße"}';
  const sign = (timestamp: number, key = secret) => `v1=${createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex')}`;
  const now = Math.floor(Date.now() / 1_000);
  /** What is tried, and whether it is genuine. */
  const tries: [timestamp: string, signature: string, isGenuine: boolean][] = [
    [String(now), sign(now), true],
    [String(now), sign(now, 'whsec_other'), false],
    [String(now - 600), sign(now - 600), false],
    [String(now + 600), sign(now + 600), false],
    [String(now), 'v1=', false],
    ['soon', sign(now), false],
  ];

  /** How a language runs its block with the secret, the timestamp, the signature and the file of the body as arguments. */
  const languages: Record<string, { tool: string; file: string; rest: string; run: string[] }> = {
    js: {
      tool: process.execPath,
      file: 'verify.mjs',
      rest: `import { readFileSync } from 'node:fs';
const [secret, timestamp, signature, file] = process.argv.slice(2);
process.exit(verify(secret, timestamp, signature, readFileSync(file)) ? 0 : 1);`,
      run: [process.execPath, 'verify.mjs'],
    },
    python: {
      tool: 'python3',
      file: 'verify.py',
      rest: `import sys
secret, timestamp, signature, file = sys.argv[1:]
sys.exit(0 if verify(secret, timestamp, signature, open(file, "rb").read()) else 1)`,
      run: ['python3', 'verify.py'],
    },
    go: {
      tool: 'go',
      file: 'verify.go',
      rest: `func main() {
	body, _ := os.ReadFile(os.Args[4])
	if !verify(os.Args[1], os.Args[2], os.Args[3], body) {
		os.Exit(1)
	}
}`,
      run: ['./verify'],
    },
    php: {
      tool: 'php',
      file: 'verify.php',
      rest: `exit(verify($argv[1], $argv[2], $argv[3], file_get_contents($argv[4])) ? 0 : 1);`,
      run: ['php', 'verify.php'],
    },
    ruby: {
      tool: 'ruby',
      file: 'verify.rb',
      rest: `exit(verify(ARGV[0], ARGV[1], ARGV[2], File.binread(ARGV[3])) ? 0 : 1)`,
      run: ['ruby', 'verify.rb'],
    },
    sh: { tool: 'openssl', file: 'verify.sh', rest: 'verify "$@" 2> /dev/null', run: ['sh', 'verify.sh'] },
  };

  it.for(Object.keys(languages))('in %s', { timeout: 120_000 }, ([...letters], { workplace, skip }) => {
    const language = letters.join('');
    const { tool, file, rest, run } = languages[language] as (typeof languages)[string];
    if (spawnSync(tool, ['--version']).error && spawnSync(tool, ['version']).error) skip(`${tool} is not here`);
    const code = block('verify-a-delivery', language);
    const options = { cwd: workplace.path, env: { ...process.env, GOCACHE: join(workplace.path, 'cache'), GO111MODULE: 'off' } };
    writeFileSync(join(workplace.path, file), `${language === 'go' ? code.replace('"math"', '"math"\n\t"os"') : code}\n${rest}\n`);
    writeFileSync(join(workplace.path, 'body'), body);
    if (language === 'go') expect(spawnSync('go', ['build', '-o', 'verify', file], options).stderr.toString()).toBe('');
    for (const [timestamp, signature, isGenuine] of tries) {
      const [command = '', ...words] = run;
      const { status, stderr } = spawnSync(command, [...words, secret, timestamp, signature, 'body'], options);
      expect([timestamp, signature, status === 0], stderr.toString()).toEqual([timestamp, signature, isGenuine]);
    }
  });
});

it('receivers under fire: the receiver passes every check', async ({ workplace }) => {
  writeFileSync(join(workplace.path, 'receiver.mjs'), block('receivers-under-fire', 'js'));
  const { stdout } = await shell(workplace, block('receivers-under-fire', 'sh'), { PORT: String(await freePort()) });
  expect(stdout).toContain('50 at once');
  expect(stdout).not.toMatch(/failed|skipped/);
  expect(readFileSync(join(workplace.path, 'results.xml'), 'utf8')).toContain('failures="0"');
});

it('tests in process: the tests pass, and a fixture is loaded', async ({ workplace }) => {
  mkdirSync(join(workplace.path, 'node_modules'));
  symlinkSync(project, join(workplace.path, 'node_modules', 'msgctl'));
  const [test, , fixture] = blocksOf('tests-in-process', 'js');
  writeFileSync(join(workplace.path, 'reminders.test.mjs'), test ?? '');
  writeFileSync(join(workplace.path, 'fixture.mjs'), fixture ?? '');
  const typed = block('tests-in-process', 'ts').replace(`import { expect, test } from 'vitest';`, '');
  const standIn = `import test from 'node:test';\nimport assert from 'node:assert';\nconst expect = (value) => ({ toMatchObject: (wanted) => assert.partialDeepStrictEqual(value, wanted) });\n`;
  writeFileSync(join(workplace.path, 'vitest.test.mjs'), standIn + typed);
  for (const words of [['--test', 'reminders.test.mjs', 'vitest.test.mjs'], ['fixture.mjs']]) {
    const { status, stdout } = spawnSync(process.execPath, words, { cwd: workplace.path });
    expect([words, status], stdout.toString()).toEqual([words, 0]);
  }
});

it('an agent from a website, tests of its conversations, and drift', { timeout: 120_000 }, async ({ workplace }) => {
  const page = html('Shop', '<h1>Opening hours</h1><h2>When do you open?</h2><p>We open at 8 in the morning and close at 18.</p>');
  const site = await Site.open({ '/': page });
  try {
    await sandbox(workplace, 'sandbox', 'channels', 'add', 'chatapp', '+14155550100');
    const [build = '', ask = '', widget = '', refresh = ''] = blocksOf('agent-from-a-website', 'sh');
    const env = { SITE: site.url() };
    await shell(workplace, build, env);
    expect((await shell(workplace, ask)).stdout).toContain('8');
    expect((await shell(workplace, widget)).stdout).toContain('<script');
    await shell(workplace, refresh, env);
    writeFileSync(join(workplace.path, 'suite.yaml'), block('conversation-tests', 'yaml'));
    await shell(workplace, block('conversation-tests', 'sh'));
    expect(readFileSync(join(workplace.path, 'results.xml'), 'utf8')).toContain('tests="2" failures="0"');
    const [drift = '', mend = ''] = blocksOf('drift', 'sh');
    await shell(workplace, 'msgctl dump account');
    await shell(workplace, drift);
    await sandbox(workplace, 'tags', 'create', 'By hand');
    await shell(workplace, mend);
    await sandbox(workplace, 'agents', 'update', 'Ada', '--goal', 'Another');
    await expect(shell(workplace, drift)).rejects.toMatchObject({ code: 3 });
  } finally {
    await site.close();
  }
});

it('offboarding a client, and a nightly export', { timeout: 120_000 }, async ({ workplace }) => {
  for (const argv of [
    ['accounts', 'create', 'Corner Bakery'],
    ['accounts', 'transfer', 'Corner Bakery', '--amount', '50'],
    ['agents', 'create', 'Ada', '--sub-account', 'Corner Bakery'],
    ['webhooks', 'create', 'https://shop.example/', '--events', 'Replies', '--name', 'orders', '--sub-account', 'Corner Bakery'],
  ])
    await sandbox(workplace, ...argv);
  await shell(workplace, block('nightly-export', 'sh'));
  expect(globSync('data/**/*.parquet', { cwd: workplace.path }).length).toBeGreaterThan(0);
  await shell(workplace, block('offboard-a-client', 'sh'));
  expect(JSON.parse(await sandbox(workplace, 'accounts', 'list', '-o', 'json'))).toMatchObject({ sub_accounts: [] });
  expect(JSON.parse(await sandbox(workplace, 'credits', '-o', 'json'))).toMatchObject({ balance: 1_000 });
  expect(globSync('handover/data/**/*.csv', { cwd: workplace.path }).length).toBeGreaterThan(0);
  expect(readFileSync(join(workplace.path, 'handover/account/agents/ada.yaml'), 'utf8')).toContain('Ada');
});

it('a container: its command serves, and its health check sees it', async ({ workplace }) => {
  const text = block('container', 'dockerfile');
  const listOf = (pattern: RegExp) => JSON.parse(pattern.exec(text)?.[1] ?? '[]') as string[];
  const [port, metrics] = [String(await freePort()), String(await freePort())];
  const serve = listOf(/^CMD (\[.*\])$/m).slice(1);
  const here = serve.map((word) => (word === '/data' ? join(workplace.path, 'data') : word === '9464' ? metrics : word));
  const child = workplace.start([...here, '--port', port, '-o', 'json'], { PATH: process.env.PATH ?? '' });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  const [command = '', ...words] = listOf(/^HEALTHCHECK .* CMD (\[.*\])$/m).map((word) => word.replace('9464', metrics));
  const check = () =>
    new Promise<number | null>((resolve) => spawn(command === 'node' ? process.execPath : command, words).on('exit', resolve));
  expect(await check()).toBe(0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await check()).toBe(1);
});

it.for(globSync('docs/recipes/*.md'))('the YAML of %s can be read, and its steps run programs', (file) => {
  const text = readFileSync(file, 'utf8');
  for (const [, yaml = ''] of text.matchAll(/^```yaml\n(.*?)^```$/gms))
    for (const document of parseAllDocuments(yaml)) expect([file, document.errors]).toEqual([file, []]);
});
