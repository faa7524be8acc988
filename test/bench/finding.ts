import { request } from '../support/accounts.ts';
import { end, type Workplace } from '../support/processes.ts';
import { askSet, readSet, setNames } from '../support/question-sets.ts';
import type { Line } from './report.ts';
import { startServer } from './server.ts';

/** Asks all questions of the public sets. The figures are the same on every machine. */
export async function* measureFinding(workplace: Workplace): AsyncIterable<Line> {
  const server = await startServer(workplace, ['--data', ':memory:']);
  const { base_url: base, sandbox_url: sandbox, account_id: account, api_key: key, sandbox_token: token } = server.ready;
  const call = (path: string, body: unknown) => request(`${base}${path}`, key, 'POST', body);
  await request(`${sandbox}/accounts/${account}`, token, 'PATCH', {
    plan: { key_requests_per_minute: 1_000_000, account_requests_per_minute: 1_000_000, max_agents: 100 },
  });
  for (const name of setNames) {
    const set = readSet(name);
    const { agent_id: agent } = await call('/agents', { name, language: set.lang });
    const { campaign } = (await call('/campaigns', { name, agent_id: agent })) as { campaign: { id: string } };
    const faqs = set.faqs.map(({ question, answer }) => ({ question, answer }));
    const { faq_ids: ids } = (await call('/faqs/import', { campaign_id: campaign.id, faqs })) as { faq_ids: string[] };
    await request(`${sandbox}/settle`, token, 'POST', {});
    const labels = new Map(ids.map((id, index) => [id, set.faqs[index]?.label ?? '']));
    const ask = (question: string) => request(`${sandbox}/accounts/${account}/ask`, token, 'POST', { agent_id: agent, question });
    const found = await askSet(set, labels, ask as never);
    const share = (count: number, of = found.asked) => `${((100 * count) / of).toFixed(1)} %`;
    const others =
      found.others > 0
        ? `, out of scope answered ${share(found.othersAnswered, found.others)}, asked back ${share(found.othersAskedBack, found.others)}`
        : '';
    const rest = `among five ${share(found.five)}, asked back ${share(found.askedBack)}, named ${share(found.named)}${others}`;
    yield line(`${name}: right FAQ first`, share(found.first), rest);
    yield line(
      `${name}: answered right`,
      share(found.right),
      found.inWords > 0 ? `in the wanted words ${share(found.inWords, found.right)}` : '',
    );
    yield line(`${name}: answered wrong`, share(found.wrong), '');
  }
  await end(server.child, 'SIGKILL');
}

function line(what: string, value: string, ratio: string): Line {
  return { what, value, ratio, budget: '', isKept: null };
}
