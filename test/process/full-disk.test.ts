import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished } from 'vitest';
import { program, Workplace } from '../support/processes.ts';
import { startServer } from '../support/server.ts';
import { it } from '../support/workplace-test.ts';

// A process whose files are limited to a few KiB, so that a write stops in the middle of its text, as on a full disk. It ignores
// the signal that the limit raises and a full disk does not.

async function runLimited(
  workplace: Workplace,
  argv: readonly string[],
  more: Record<string, string> = {},
): Promise<{ code: number; stderr: string }> {
  const options = { cwd: workplace.path, env: { ...process.env, HOME: workplace.path, NODE_DISABLE_COMPILE_CACHE: '1', ...more } };
  return await promisify(execFile)('sh', ['-c', 'trap "" XFSZ; ulimit -f 8; exec "$@"', 'sh', process.execPath, ...argv], options).then(
    ({ stderr }) => ({ code: 0, stderr }),
    (error: { code: number; stderr: string }) => ({ code: error.code, stderr: error.stderr }),
  );
}

describe('on a full disk', () => {
  it('the profiles file is unchanged after a failed write', async ({ workplace }) => {
    const folder = join(workplace.path, '.config', 'msgctl');
    mkdirSync(folder, { recursive: true });
    const names = Array.from({ length: 200 }, (_, index) => `client-${index}`);
    const profiles = Object.fromEntries(
      names.map((name) => [name, { base_url: 'http://127.0.0.1:9/v1', api_key: `mk_${'0'.repeat(40)}` }]),
    );
    const text = JSON.stringify({ current: 'client-1', profiles });
    writeFileSync(join(folder, 'profiles.json'), text);
    const { stderr } = await runLimited(workplace, [program, 'profiles', 'use', 'client-2']);
    expect(stderr).toContain('profiles.json: the disk is full');
    expect(readFileSync(join(folder, 'profiles.json'), 'utf8')).toBe(text);
    expect(readdirSync(folder)).toEqual(['profiles.json']);
  });

  it('a server says that its store cannot be used', async ({ workplace }) => {
    const { code, stderr } = await runLimited(workplace, [program, 'serve', '--port', '0', '--data', join(workplace.path, 'data')]);
    expect([code, stderr]).toEqual([9, expect.stringMatching(/^Error: Cannot (use|open) the store.*\n$/)]);
  });

  it('a file is unchanged after a failed replacement', async ({ workplace }) => {
    const file = join(workplace.path, 'plan.json');
    writeFileSync(file, 'before');
    const module = new URL('../../src/cli/files/owner-only.ts', import.meta.url).href;
    const script = `const { writeOwnerOnly } = await import('${module}'); writeOwnerOnly('${file}', 'x'.repeat(100_000));`;
    const { code, stderr } = await runLimited(workplace, ['--input-type=module', '-e', script]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('EFBIG')]);
    expect(readFileSync(file, 'utf8')).toBe('before');
  });

  it('a dump leaves the files of a folder unchanged', async ({ workplace }) => {
    const server = await startServer();
    onTestFinished(() => server.close());
    const env = { MSGCTL_API_KEY: server.apiKey, MSGCTL_BASE_URL: server.baseUrl };
    const folder = join(workplace.path, 'account');
    expect((await workplace.run(['tags', 'create', 'VIP'], env)).code).toBe(0);
    expect((await workplace.run(['dump', folder], env)).code).toBe(0);
    const text = `${readFileSync(join(folder, 'tags.yaml'), 'utf8')}${'# A comment that a person wrote.\n'.repeat(400)}`;
    writeFileSync(join(folder, 'tags.yaml'), text);
    const before = readdirSync(folder);
    expect((await workplace.run(['tags', 'create', 'new'], env)).code).toBe(0);
    const { code, stderr } = await runLimited(workplace, [program, 'dump', folder], env);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/Cannot write .*tags\.yaml: it is larger than this disk allows/)]);
    expect([readFileSync(join(folder, 'tags.yaml'), 'utf8'), readdirSync(folder)]).toEqual([text, before]);
  });
});
