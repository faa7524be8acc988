import { Agent, request, setGlobalDispatcher } from 'undici';

// The reference for the benchmark of the export: reads the same lists of the same accounts, four accounts at a time, and discards them.

const [baseUrl = '', key = '', ...accounts] = process.argv.slice(2);
setGlobalDispatcher(new Agent({ keepAliveTimeout: 10_000, connections: 4 }));

const lists = ['contacts', 'messages', 'chat-sessions', 'analytics/credits', 'appointments', 'broadcasts', 'faqs', 'deals', 'error-log'];
const reports = ['series?group_by=channel', 'outcomes?', 'conversation-costs?', 'ai-cost?'].map((report) => `analytics/${report}`);
const others = ['users/me?', 'users/me/credits?', 'chatapp-templates?', 'agents?', 'webhooks?include=health'];

async function read(path: string): Promise<string | null> {
  const { body } = await request(`${baseUrl}/${path}`, { headers: { authorization: `Bearer ${key}` } });
  return ((await body.json()) as { next_cursor?: string | null }).next_cursor ?? null;
}

async function readAccount(account: string): Promise<void> {
  const acting = account === 'own' ? '' : `&sub_account_id=${account}`;
  for (const path of [...reports, ...others]) await read(`${path}${acting}`);
  for (const list of lists)
    for (let cursor: string | null = ''; cursor !== null;)
      cursor = await read(`${list}?limit=100${acting}${cursor === '' ? '' : `&cursor=${cursor}`}`);
}

const queue = accounts.values();
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (const account of queue) await readAccount(account);
  }),
);
