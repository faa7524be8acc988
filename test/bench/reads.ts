import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { makeAccounts, request } from '../support/accounts.ts';
import { end, type Workplace } from '../support/processes.ts';
import { drive, requestText } from './connections.ts';
import { type Line, median, perSecond, ratioLine } from './report.ts';
import { embeddedStore, type MeasuredServer, startServer } from './server.ts';

const connections = 64;

/** Measures reading records over HTTP, alternating with a bare server that returns the same bytes. */
export async function* measureReads(workplace: Workplace): AsyncIterable<Line> {
  const server = await startServer(workplace, embeddedStore(workplace));
  const { base_url: origin } = server.ready;
  const [account] = await makeAccounts(server.ready, 1);
  const key = account?.key ?? '';
  const post = (path: string, body: unknown) => request(origin + path, key, 'POST', body);
  const { tag } = (await post('/tags', { name: 'VIP' })) as { tag: { id: string } };
  yield await compare(workplace, server, key, '/v1/tags', 'GET of a tag', 0.35);

  const { contact } = (await post('/contacts', { phone_number: '+14155550123', channel: 'chatapp', first_name: 'Ada' })) as {
    contact: { id: string };
  };
  await post(`/contacts/${contact.id}/tags`, { tag_id: tag.id });
  for (const name of ['Customers', 'Newsletter']) {
    const { list } = (await post('/lists', { name })) as { list: { id: string } };
    await post(`/lists/${list.id}/contacts`, { contact_ids: [contact.id] });
  }
  await post(`/contacts/${contact.id}/tags`, { name: 'Second' });
  yield await compare(workplace, server, key, `/v1/contacts/${contact.id}`, 'GET of a contact with its tags and lists', 0.22);
  await end(server.child, 'SIGKILL');
}

async function compare(
  workplace: Workplace,
  { port }: MeasuredServer,
  key: string,
  path: string,
  what: string,
  atLeast: number,
): Promise<Line> {
  const bare = await startBareServer(workplace, port, path, key);
  const text = requestText('GET', path, key);
  await load(port, text, 1500);
  await load(bare.port, text, 1500);
  const mine: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < 5; round++) {
    theirs.push(await load(bare.port, text, 1000));
    mine.push(await load(port, text, 1000));
  }
  await end(bare.child, 'SIGKILL');
  const reference = `bare node:http, same bytes: ${perSecond(median(theirs))}`;
  return ratioLine(what, perSecond(median(mine)), median(mine) / median(theirs), reference, { atLeast });
}

/** Starts a node:http server that returns the same response as the service. */
async function startBareServer(workplace: Workplace, port: number, path: string, key: string) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } });
  const headers = Object.fromEntries(response.headers);
  for (const name of ['connection', 'keep-alive', 'date', 'transfer-encoding']) delete headers[name];
  const file = join(workplace.path, 'bare.mjs');
  writeFileSync(
    file,
    `import { createServer } from 'node:http';
const answer = ${JSON.stringify({ headers, body: await response.text() })};
const server = createServer((_request, response) => { response.writeHead(200, answer.headers); response.end(answer.body); });
server.listen(0, '127.0.0.1', () => console.log(server.address().port));`,
  );
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, port: Number(line) };
}

/** Sends the same request repeatedly for some time. Returns the number of responses per second. */
async function load(port: number, text: string, milliseconds: number): Promise<number> {
  const until = performance.now() + milliseconds;
  const { rate } = await drive([port], connections, () => (performance.now() < until ? text : null));
  return rate;
}
