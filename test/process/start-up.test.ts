import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Workplace } from '../support/processes.ts';
import { it } from '../support/workplace-test.ts';

// Loading modules takes most of a command's time. The benchmark measures that time.

/** Runs a command. Returns the Node modules that it loads. */
async function modulesOf(workplace: Workplace, argv: readonly string[], env: Record<string, string>): Promise<Set<string>> {
  const [preload, list] = ['preload.mjs', 'modules.json'].map((name) => join(workplace.path, name)) as [string, string];
  writeFileSync(
    preload,
    `const before = new Set(process.moduleLoadList);
const { writeFileSync } = process.getBuiltinModule('fs');
process.on('exit', () => writeFileSync(${JSON.stringify(list)}, JSON.stringify(process.moduleLoadList.filter((name) => !before.has(name)))));`,
  );
  const { code, stderr } = await workplace.run(argv, { ...env, NODE_OPTIONS: `--import=${preload}` });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const loaded = JSON.parse(readFileSync(list, 'utf8')) as string[];
  return new Set(loaded.map((name) => name.replace('NativeModule ', '')));
}

const heavy = [
  'http',
  'http2',
  'internal/deps/undici/undici',
  'crypto',
  'internal/crypto/webcrypto',
  'worker_threads',
  'readline',
  'fs/promises',
  'perf_hooks',
  'sqlite',
];

it('a remote command loads only the Node modules that a connection needs', async ({ workplace }) => {
  const stub = createServer((_request, response) =>
    response.setHeader('content-type', 'application/json').end('{"success":true,"tags":[],"next_cursor":null}'),
  );
  await once(stub.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;
  const loaded = await modulesOf(workplace, ['tags', 'list', '-o', 'json'], { MSGCTL_BASE_URL: `${origin}/v1`, MSGCTL_API_KEY: 'mk_0' });
  stub.close();
  expect(heavy.filter((name) => loaded.has(name))).toEqual(['http']);
});

it('a command on the embedded store loads neither an HTTP client nor Web Crypto', async ({ workplace }) => {
  // The first command creates the store and its keys.
  await workplace.run(['tags', 'list', '--profile', 'sandbox']);
  const loaded = await modulesOf(workplace, ['tags', 'list', '-o', 'json'], { MSGCTL_PROFILE: 'sandbox' });
  expect(loaded).toContain('sqlite');
  expect(heavy.filter((name) => loaded.has(name))).toEqual(['crypto', 'sqlite']);
});

it('the program starts with little more than what it prints the version with', () => {
  const folder = fileURLToPath(new URL('../../dist/', import.meta.url));
  const files = new Set(['start.mjs']);
  for (const file of files)
    for (const [, path = ''] of readFileSync(join(folder, file), 'utf8').matchAll(/\bfrom ?"\.\/([^"]+)"/g))
      files.add(join(dirname(file), path));
  const size = [...files].reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  expect([files.size, size]).toSatisfy(([count = 0, bytes = 0]) => count > 1 && bytes < 40_000);
});

it('every chunk of the bundle can be loaded', () => {
  const chunks = fileURLToPath(new URL('../../dist/chunks/', import.meta.url));
  // A static import of a Node module would read all its exports.
  const importing = readdirSync(chunks).filter((name) => /\bfrom ?["'`]node:/.test(readFileSync(join(chunks, name), 'utf8')));
  expect(importing).toEqual([]);
  const script = `for (const name of process.getBuiltinModule('fs').readdirSync(${JSON.stringify(chunks)})) await import(${JSON.stringify(chunks)} + name);`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', `${script} process.exit()`], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
