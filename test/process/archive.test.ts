import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { packArchive } from '../../scripts/package/archives.ts';
import { layOut } from '../../scripts/package/tree.ts';
import { targets } from '../../scripts/package/targets.ts';
import nodes from '../../scripts/package/nodes.json' with { type: 'json' };
import { it } from '../support/workplace-test.ts';

// `npm run package -- --check` tries the archives in systems without Node. This is the smoke test of the one for x64, with the Node among
// the development dependencies, which is the same.

const project = process.cwd();
const isTarget = process.platform === 'linux' && process.arch === 'x64';

it('the Node of the archives is that of the tests', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, { version: string }> };
  expect(nodes.version).toBe(packages['node_modules/node']?.version);
});

it.runIf(isTarget)('the archive for x64 runs by a link, with its own Node', { timeout: 120_000 }, ({ workplace }) => {
  const node = join(workplace.path, 'node');
  mkdirSync(join(node, 'bin'), { recursive: true });
  copyFileSync('node_modules/node/bin/node', join(node, 'bin/node'));
  writeFileSync(join(node, 'LICENSE'), 'As in the package of Node');
  const tree = join(workplace.path, 'tree');
  layOut(project, node, tree);
  const [target] = targets;
  const archive = packArchive(tree, target, { version: '1.2.3', description: '', time: 1_700_000_000 }, workplace.path);
  expect(statSync(archive).size).toBeLessThan(60e6);
  const prefix = join(workplace.path, 'prefix');
  mkdirSync(prefix);
  execFileSync('tar', ['-xzf', archive, '--strip-components=1', '-C', prefix]);
  for (const file of [
    'share/man/man1/msgctl.1.gz',
    'share/man/man1/msgctl-webhooks.1.gz',
    'share/bash-completion/completions/msgctl',
    'share/zsh/site-functions/_msgctl',
    'share/fish/vendor_completions.d/msgctl.fish',
    'lib/msgctl/LICENSE.node',
  ])
    expect([file, existsSync(join(prefix, file))]).toEqual([file, true]);
  const link = join(workplace.path, 'link');
  symlinkSync(join(prefix, 'bin/msgctl'), link);
  // Without another Node in the path.

  const tools = join(workplace.path, 'tools');
  mkdirSync(tools);
  symlinkSync(execFileSync('which', ['readlink'], { encoding: 'utf8' }).trim(), join(tools, 'readlink'));
  const env = { PATH: tools, HOME: workplace.path, MSGCTL_PROFILE: 'sandbox' };
  const msgctl = (...words: string[]) => execFileSync(link, words, { encoding: 'utf8', env });
  expect(msgctl('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  msgctl('tags', 'create', 'VIP', '-q');
  expect(msgctl('tags', 'list', '-o', 'csv', '--fields', 'name')).toBe('name\r\nVIP\r\n');
});
