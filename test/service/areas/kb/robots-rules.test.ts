import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRobots } from '../../../../src/service/areas/kb/reading/site/robots-txt.ts';
import { RobotsRules, type RobotsRule } from '../../../../src/service/areas/kb/sites/robots-rules.ts';

const at = (path: string) => new URL(path, 'http://shop.example');

/** Whether the rules allow a path, by regular expressions. */
function allowsByExpression(rules: readonly RobotsRule[], path: string): boolean {
  const matching = rules.filter(({ pattern }) => {
    const isWhole = pattern.endsWith('$');
    const parts = (isWhole ? pattern.slice(0, -1) : pattern).split('*').map((part) => RegExp.escape(part));
    return new RegExp(`^${parts.join('.*')}${isWhole ? '$' : ''}`).test(path);
  });
  const longest = Math.max(...matching.map(({ pattern }) => pattern.length));
  const deciding = matching.filter(({ pattern }) => pattern.length === longest);
  return deciding.length === 0 || deciding.some(({ isAllowed }) => isAllowed);
}

describe('the rules of a robots.txt', () => {
  // Proves rule kb.60.
  it('are matched as regular expressions would match them', () => {
    const text = (characters: string, maxLength: number) =>
      fc.array(fc.constantFrom(...characters), { maxLength }).map((all) => `/${all.join('')}`);
    const rule = fc.record({ pattern: text('aab/**$', 8), isAllowed: fc.boolean() });
    const property = fc.property(fc.array(rule, { maxLength: 4 }), text('aab/', 12), (rules, path) => {
      fc.pre(!path.includes('//'));
      expect(new RobotsRules(rules).allows(at(path))).toBe(allowsByExpression(rules, path));
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it.each([
    ['/a b', '/a%20b', false],
    ['/ä', '/%c3%a4', false],
    ['/%e4%b8%ad', '/中', false],
    ['/a[1]', '/a[1]', false],
    ['/%7euser', '/~user', false],
    ['/a%2fb', '/a/b', true],
    ['/a%2fb', '/a%2Fb', false],
    ['/list?page=', '/list?page=2', false],
  ])('bar addresses however they are escaped: %s bars %s', (pattern, path, isAllowed) => {
    expect(new RobotsRules([{ pattern, isAllowed: false }]).allows(at(path))).toBe(isAllowed);
  });

  // Proves rule kb.60.
  it('are at most 1,000, and addresses that would take long to compare with their wildcards are barred without comparing', () => {
    const { rules } = readRobots(Buffer.from(`User-agent: *\n${'Disallow: /*a*a*a*a*b\n'.repeat(20_000)}`));
    expect(rules.length).toBe(1_000);
    const compared = new RobotsRules(rules);
    const long = at(`/${'a'.repeat(1_900)}`);
    expect(compared.comparisons(long)).toBeGreaterThan(2_000_000);
    expect(compared.allows(long)).toBe(false);
    expect(compared.allows(at('/aaaa'))).toBe(true);
  });

  it('are those of the group for the crawler, or else of that for all, with its Crawl-delay', () => {
    const read = (text: string) => readRobots(Buffer.from(text));
    // Many sitemaps, and many rules for others, leave those for the crawler as they are.
    const barred = [{ pattern: '/', isAllowed: false }];
    expect(read(`${'Sitemap: /a.xml\n'.repeat(2_000)}User-agent: *\nDisallow: /\n`).rules).toEqual(barred);
    expect(read(`User-agent: *\n${'Disallow: /a\n'.repeat(2_000)}User-agent: msgctl\nDisallow: /\n`).rules).toEqual(barred);
    const long = `/${'a'.repeat(600)}`;
    const cut = { pattern: long.slice(0, 500), isAllowed: false };
    expect(read(`User-agent: *\nAllow: ${long}\nDisallow: ${long}\nSitemap: https://a.example${long}.xml\n`)).toMatchObject({
      rules: [cut],
      sitemaps: [`https://a.example${long}.xml`],
    });
    expect(read('User-agent: *\nDisallow: /*a*b*c*d*e*f*g\n').rules).toEqual([{ pattern: '/*a*b*c*d*e*f*g', isAllowed: false }]);
    const rule = { pattern: '/a', isAllowed: false };
    expect(read('User-agent: *\nDisallow: /a\nCrawl-delay: 2\nSitemap: /one.xml\nsitemap:/two.xml')).toEqual({
      rules: [rule],
      delay: 2,
      sitemaps: ['/one.xml', '/two.xml'],
    });
    expect(read('User-agent: *\nDisallow: /\nUser-agent: x\nUser-agent: msgctl/2\nDisallow: /a')).toMatchObject({ rules: [rule] });
    expect(read('User-agent: *\nDisallow: /\nUser-agent: msgctl\nDisallow:')).toMatchObject({ rules: [], delay: 0 });
    expect(read('Disallow: /')).toMatchObject({ rules: [] });
  });
});
