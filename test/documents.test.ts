import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Home } from './support/terminal-world.ts';

/** The documents of the repository, and of its folders. */
const documents = globSync(['*.md', 'docs/**/*.md', '{src,test}/**/README.md']);

/** The pages with commands to copy. The reference has those of the commands' own help. */
const pages = ['README.md', ...globSync('docs/*.md'), ...globSync('docs/recipes/*.md')].filter(
  (file) => file !== join('docs', 'reference.md'),
);

const withoutBlocks = (text: string) => text.replaceAll(/^```.*?^```/gms, '');

/** The anchors of a document's headings, as GitHub makes them. */
function anchors(file: string): Set<string> {
  const headings = [...withoutBlocks(readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  const slugs = headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(
    slugs.map(
      (slug, index) => slug + (slugs.indexOf(slug) === index ? '' : `-${slugs.slice(0, index).filter((other) => other === slug).length}`),
    ),
  );
}

it.each(documents)('the links of %s lead somewhere', (file) => {
  const text = withoutBlocks(readFileSync(file, 'utf8')).replaceAll(/`[^`]*`/g, '');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link).filter((link) => !/^[a-z]+:/.test(link));
  const broken = links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : join(dirname(file), path);
    return !existsSync(target) || (anchor !== undefined && !anchors(target).has(anchor));
  });
  expect(broken).toEqual([]);
});

it('the README or ARCHITECTURE names every page', () => {
  const entrances = ['README.md', 'ARCHITECTURE.md'].map((file) => readFileSync(file, 'utf8')).join('');
  expect(globSync('docs/*.md').filter((file) => !entrances.includes(file.replaceAll('\\', '/')))).toEqual([]);
});

it('the README has at most 250 lines', () => {
  expect(readFileSync('README.md', 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(250);
});

/** The commands of a page: those after a prompt, and those in its sentences. Their placeholders and shell syntax are left out. */
function commandsOf(file: string): string[][] {
  const text = readFileSync(file, 'utf8');
  const typed = [...text.matchAll(/^(?:\$|\s*- run:) (.+)$/gm)].map(([, line = '']) => line.replace(/ +# .*$/, ''));
  const named = [...withoutBlocks(text).matchAll(/`(msgctl [^`]+)`/g)].map(([, line = '']) => line.replaceAll(/\s+/g, ' '));
  return [...typed, ...named].flatMap((line) => {
    const words = (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''));
    const end = words.findIndex((word) => /^[<>|]/.test(word));
    return words[0] === 'msgctl' ? [words.slice(1, end < 0 ? undefined : end).filter((word) => !word.includes('…'))] : [];
  });
}

const home = new Home();
afterAll(() => home.remove());

it.each(pages)('the commands of %s exist, with their options', async (file) => {
  const globals = (await home.run('help', 'options')).stdout;
  for (const words of commandsOf(file)) {
    const { code, stdout, stderr } = await home.run('--help', ...words);
    expect([code, stderr], words.join(' ')).toEqual([0, '']);
    for (const word of words.filter((each) => each.startsWith('--'))) {
      const [name] = word.split('=');
      expect(`${stdout}${globals}`, words.join(' ')).toMatch(new RegExp(`${name}\\b`));
    }
  }
});
