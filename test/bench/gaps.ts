import { makeAccounts, request, type TestAccount } from '../support/accounts.ts';
import { end, type Ready, type Workplace } from '../support/processes.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { type Line, median, ratioLine } from './report.ts';
import { newStores, startServer } from './server.ts';

const few = 100;
const many = 10_000;
const rounds = 15;
const joinedAtOnce = 10;

/** Words that tell nothing: with other ones, the question is another wording of the same gap. */
const fillers = 'the a is on what and or this that for with from by at in to of it as if be so but not are was were has'.split(' ');

function wordingOf(index: number): string {
  const { length } = fillers;
  const words = [index % length, Math.floor(index / length) % length, Math.floor(index / length ** 2)].map((each) => fillers[each]);
  return `${words.join(' ')} wheelchair entrance`;
}

/** An account whose agent cannot answer, and how many wordings its gap has. */
interface Asked extends TestAccount {
  wordings: number;
}

/** Joins messages with new wordings to the gap of an account. @returns the time for each, in milliseconds */
async function join({ sandbox_url: sandbox, sandbox_token: token }: Ready, asked: Asked, messages: number): Promise<number> {
  const start = performance.now();
  for (let sent = 0; sent < messages; sent++) {
    const body = { channel: 'chatapp', from: '+14155550199', text: wordingOf(asked.wordings++) };
    await request(`${sandbox}/accounts/${asked.id}/inbound`, token, 'POST', body);
  }
  return (performance.now() - start) / messages;
}

/** Lets an agent with another FAQ answer an account. */
async function prepare({ base_url: base }: Ready, account: TestAccount): Promise<Asked> {
  const { agent_id: agent } = await request(`${base}/agents`, account.key, 'POST', { name: 'Ada' });
  const { campaign } = await request(`${base}/campaigns`, account.key, 'POST', { name: 'Support', agent_id: agent });
  const faq = { campaign_id: (campaign as { id: string }).id, question: 'Where is the shop?', answer: 'In Berlin.' };
  await request(`${base}/faqs`, account.key, 'POST', faq);
  return { ...account, wordings: 0 };
}

/** Compares joining a gap with ten thousand wordings with joining one with a hundred. */
export async function* measureGaps(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  for (const [engine, options] of await newStores(workplace, database)) {
    const { child, ready } = await startServer(workplace, options);
    const accounts = (await makeAccounts(ready, 2)) as [TestAccount, TestAccount];
    const [small, large] = [await prepare(ready, accounts[0]), await prepare(ready, accounts[1])];
    await join(ready, small, few);
    await join(ready, large, many);
    const [reference, times]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      reference.push(await join(ready, small, joinedAtOnce));
      times.push(await join(ready, large, joinedAtOnce));
    }
    const time = median(times);
    yield ratioLine(`joining a gap with ${many} wordings, ${engine}`, `${time.toFixed(1)} ms`, time / median(reference), `with ${few}`, {
      atMost: 1.5,
    });
    await end(child, 'SIGKILL');
  }
}
