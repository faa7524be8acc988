import { crawlerName, type RobotsFile, type RobotsRule } from '../../sites/robots-rules.ts';

/** Limits on a host's rules, because each address is compared with every rule, and on its sitemaps. */
const rulesMax = 1_000;
const ruleLength = 500;
const sitemapsMax = 1_000;

/** The rules for some crawlers. */
interface Group {
  readonly rules: RobotsRule[];
  delay: number;
}

/** Reads what a robots.txt says to the crawler: in the groups for its name, or else in those for all crawlers. */
export function readRobots(bytes: Buffer): RobotsFile {
  const groups = new Map<string, Group>();
  const sitemaps: string[] = [];
  let names = new Set<string>();
  let isNaming = false;
  // The decoder leaves out a byte order mark.
  for (const line of new TextDecoder().decode(bytes).split(/\r\n?|\n/)) {
    const [, name = '', text = ''] = /^\s*([a-z-]{1,30})\s*:([^#]*)/i.exec(line) ?? [];
    const [field, value] = [name.toLowerCase(), text.trim()];
    if (field === 'user-agent') {
      if (!isNaming) names = new Set();
      isNaming = true;
      const agent = value.toLowerCase().split('/')[0]?.trim();
      if (agent === '*' || agent === crawlerName) names.add(agent);
    } else if (field === 'sitemap') {
      if (value !== '' && sitemaps.length < sitemapsMax) sitemaps.push(value);
    } else if (/^(allow|disallow|crawl-delay)$/.test(field)) {
      isNaming = false;
      for (const each of names) addLine(groupOf(groups, each), field, value);
    }
  }
  const { rules, delay } = groups.get(crawlerName) ?? groupOf(groups, '*');
  return { rules, delay, sitemaps };
}

function groupOf(groups: Map<string, Group>, name: string): Group {
  let group = groups.get(name);
  if (!group) groups.set(name, (group = { rules: [], delay: 0 }));
  return group;
}

function addLine(group: Group, field: string, value: string): void {
  const isAllowed = field === 'allow';
  if (field === 'crawl-delay') group.delay = Number(value) || 0;
  // A rule without a path bars nothing. The beginning of a long one bars more than it says, but must not allow more.
  else if (value !== '' && group.rules.length < rulesMax && !(isAllowed && value.length > ruleLength))
    group.rules.push({ pattern: value.slice(0, ruleLength), isAllowed });
}
