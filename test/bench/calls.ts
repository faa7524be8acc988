import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeAccounts, phoneNumber, request, type TestAccount } from '../support/accounts.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { end, type Ready, type Workplace } from '../support/processes.ts';
import { drive, requestText } from './connections.ts';
import { cpuTime } from './cpu-time.ts';
import { type Line, median, ratioLine } from './report.ts';
import { newStores, startServer } from './server.ts';

const answersAtOnce = 8;
const answersOfRound = 300;
const rounds = 5;

/** Milliseconds of a tick of the system clock. */
const tick = 10;

/** A model that calls a function once if it is offered one, and the function. */
async function openModel(): Promise<{ server: Server; url: string }> {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      if (incoming.url === '/weather') return void response.end('{"weather":"sunny"}');
      const { tools, messages } = JSON.parse(Buffer.concat(chunks).toString()) as { tools?: unknown; messages: { role: string }[] };
      const isCalling = tools !== undefined && !messages.some(({ role }) => role === 'tool');
      const call = { id: 'call', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Berlin"}' } };
      const message = isCalling ? { role: 'assistant', content: null, tool_calls: [call] } : { role: 'assistant', content: 'It is sunny.' };
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: isCalling ? 'tool_calls' : 'stop' }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Lets an agent answer an account. @param url the address of its function; undefined for none */
async function prepare({ base_url: base }: Ready, { key }: TestAccount, url?: string): Promise<void> {
  const { agent_id: agent } = await request(`${base}/agents`, key, 'POST', { name: 'Ada' });
  await request(`${base}/entry-points/channel-defaults`, key, 'PUT', { channel: 'chatapp', agent_id: agent });
  if (url === undefined) return;
  const parameters = { type: 'object', properties: { city: { type: 'string' } } };
  const { custom_function: made } = await request(`${base}/custom-functions`, key, 'POST', { name: 'get_weather', url, parameters });
  const ids = { custom_function_ids: [(made as { id: string }).id] };
  await request(`${base}/agents/${String(agent)}/custom-functions`, key, 'POST', ids);
}

let made = 7_000_000;

/** Compares answers with one call of a function with answers without: the processor time of the server for each. */
export async function* measureCalls(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  const model = await openModel();
  const environment = { MSGCTL_AI_BASE_URL: `${model.url}/v1`, MSGCTL_AI_MODEL: 'm' };
  for (const [engine, options] of await newStores(workplace, database)) {
    const { child, ready, port } = await startServer(workplace, options, environment);
    const [without, calling] = (await makeAccounts(ready, 2)) as [TestAccount, TestAccount];
    await prepare(ready, without);
    await prepare(ready, calling, `${model.url}/weather`);
    const answer = async ({ id }: TestAccount) => {
      let left = answersOfRound;
      const before = cpuTime([child.pid as number]);
      await drive([port], answersAtOnce, () => {
        if (left-- <= 0) return null;
        const body = { channel: 'chatapp', from: phoneNumber(made++), text: 'How is the weather?' };
        return requestText('POST', `/sandbox/accounts/${id}/inbound`, ready.sandbox_token ?? '', body);
      });
      return ((cpuTime([child.pid as number]) - before) * tick) / answersOfRound;
    };
    await answer(without);
    await answer(calling);
    const [reference, times]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      reference.push(await answer(without));
      times.push(await answer(calling));
    }
    const [one, other] = [median(times), median(reference)];
    yield ratioLine(
      `an answer with one call of a function, ${engine}`,
      `${one.toFixed(2)} ms`,
      one / other,
      `without (${other.toFixed(2)} ms)`,
      {
        atMost: 2,
      },
    );
    await end(child, 'SIGKILL');
  }
  model.server.closeAllConnections();
  model.server.close();
}
