import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nouns } from '../src/cli/nouns.ts';
import { shownIn, withTables } from '../scripts/interface-tables.ts';
import { allEndpoints, endpoints } from '../src/contract/endpoints.ts';

describe('every endpoint', () => {
  it('has a verb, unless other verbs call it', async () => {
    const loaded = await Promise.all(nouns.map(({ load }) => load()));
    const called = new Set(loaded.flatMap(({ verbs }) => verbs).map(({ endpoint }) => endpoint?.name));
    const without = endpoints.filter(({ name }) => !called.has(name)).map(({ name }) => name);
    // `openapi`, `whoami`, `status`, `snapshots apply`, `sessions export`, `agency price`, `agents sources detach`, `faqs delete`, `faqs dedupe`,
    // `notifications read`, `webhooks replay` and the
    // verbs of `kb` call these endpoints or
    // similar ones; a browser follows a short link, and a contact opens a file.
    const inVerbs = ['importPage', 'importFile', 'deleteMany', 'compareHost', 'refreshHost', 'getRefresh'].map((name) => `kb.${name}`);
    expect(without).toEqual([
      ...[
        'openapi.get',
        'agency.overview',
        'agency.getPrice',
        'snapshots.job',
        'exports.download',
        'agents.detachSource',
        'media.serve',
        'faqs.deleteMany',
        'faqs.getDedupe',
      ],
      ...inVerbs,
      'links.follow',
      'webhooks.replays.get',
      'notifications.readAll',
    ]);
  });

  it('is in a table of docs/interface, and each of its fields has a meaning there', () => {
    const documents = globSync('docs/interface/*.md').map((file) => readFileSync(file, 'utf8'));
    const shown = new Set(documents.flatMap(shownIn));
    expect(allEndpoints.map(({ name }) => name).filter((name) => !shown.has(name.split('.')[0] ?? ''))).toEqual([]);
    const fields = withTables([...shown].map((name) => `<!-- generated from the contract: ${name} -->\n<!-- end -->`).join('\n'));
    expect(fields.split('\n').filter((line) => /^\| `[^|]+` \|(?! [A-Z]+ \/).*\| \|$/.test(line))).toEqual([]);
  });
});
