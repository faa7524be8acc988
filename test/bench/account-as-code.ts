import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeAccounts, request } from '../support/accounts.ts';
import { end, type Workplace } from '../support/processes.ts';
import { countLine, type Line, median, ratioLine } from './report.ts';
import { embeddedStore, startServer } from './server.ts';

const agents = 200;
const campaigns = 10;
const faqs = 5_000;
const rules = 500;
const rounds = 5;

/**
 * The page size, and the requests that any implementation needs: the account, each kind once (including defaults, which
 * determine who answers), FAQs page by page, rules agent by agent.
 */
const page = 100;
const defaults = 'entry-points/channel-defaults';
const single = ['users/me', 'tags', 'events', 'kb-sources', 'agents', 'campaigns', 'channels', defaults].length;
const fewestRequests = single + faqs / page + agents;

/** Measures `msgctl diff` of a large account that matches the files, alternating with only its requests. */
export async function* measureAccountAsCode(workplace: Workplace): AsyncIterable<Line> {
  const { child, ready } = await startServer(workplace, embeddedStore(workplace));
  const [account] = await makeAccounts(ready, 1);
  const { id = '', key = '' } = account ?? {};
  await request(`${ready.sandbox_url}/accounts/${id}`, ready.sandbox_token ?? '', 'PATCH', { plan: { max_agents: agents } });
  const env = { MSGCTL_API_KEY: key, MSGCTL_BASE_URL: ready.base_url };
  const folder = join(workplace.path, 'account');
  writeFolder(folder);
  const run = async (...argv: string[]) => {
    const began = performance.now();
    const { code, stdout, stderr } = await workplace.run(argv, env);
    if (code !== 0) throw new Error(`msgctl ${argv.join(' ')} ended with ${code}: ${stdout}${stderr}`);
    return { stderr, took: performance.now() - began };
  };
  await run('apply', folder, '--yes');
  const { stderr } = await run('diff', folder, '--debug');
  const paths = [...stderr.matchAll(/^GET (\S+) -> 200 in/gm)].map(([, path]) => path ?? '');
  yield countLine(`requests of diff: ${agents} agents, ${faqs} FAQs, ${rules} rules`, paths.length, { atMost: fewestRequests });

  const list = join(workplace.path, 'paths');
  writeFileSync(list, paths.join('\n'));
  const replay = new URL('replay.ts', import.meta.url).pathname;
  const mine: number[] = [];
  const alone: number[] = [];
  for (let round = 0; round < rounds; round++) {
    alone.push(await timed([replay, list, new URL(ready.base_url).origin, key]));
    mine.push((await run('diff', folder)).took);
  }
  const reference = `its requests alone: ${median(alone).toFixed(0)} ms`;
  yield ratioLine('diff without changes', `${median(mine).toFixed(0)} ms`, median(mine) / median(alone), reference, { atMost: 1.2 });
  await end(child, 'SIGKILL');
}

function writeFolder(folder: string): void {
  mkdirSync(folder);
  const agent = (index: number) => `Agent ${index % agents}`;
  const write = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content));
  const made = <Item>(count: number, item: (index: number) => Item) => Array.from({ length: count }, (_, index) => item(index));
  write('agents.yaml', { agents: made(agents, (index) => ({ name: agent(index), goal: `Sells ferns ${index}. `.repeat(10) })) });
  write('campaigns.yaml', {
    campaigns: made(campaigns, (index) => ({ name: `Campaign ${index}`, agent: agent(index), channel: 'chatapp' })),
  });
  const own = faqs / campaigns;
  for (let campaign = 0; campaign < campaigns; campaign++)
    write(`faqs-${campaign}.yaml`, {
      campaign: `Campaign ${campaign}`,
      faqs: made(own, (index) => ({ question: `What does fern ${index} cost?`, answer: `It costs ${index}. `.repeat(5) })),
    });
  const rule = (index: number) => ({ type: 'keyword', channels: ['chatapp'], keywords: [`word ${index}`], agent: agent(index) });
  write('routing.yaml', { rules: made(rules, rule) });
}

/** The duration of a script that must succeed, in milliseconds. */
async function timed(argv: readonly string[]): Promise<number> {
  const began = performance.now();
  const [code] = (await once(spawn(process.execPath, argv, { stdio: 'inherit' }), 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${argv[0] ?? ''} ended with ${code}`);
  return performance.now() - began;
}
