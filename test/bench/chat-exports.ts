import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from '../support/accounts.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { end, type Workplace } from '../support/processes.ts';
import { countLine, type Line, perSecond, ratioLine } from './report.ts';
import { type MeasuredServer, newStores, startServer } from './server.ts';

/** The messages of the large account. `MSGCTL_BENCH_MESSAGES=5000000` measures the largest export. */
const many = Number(process.env.MSGCTL_BENCH_MESSAGES ?? 300_000);

const few = 30_000;

interface Exported {
  readonly messages: number;
  readonly seconds: number;
  /** How much the memory of the server grew at most meanwhile, in MiB. */
  readonly grown: number;
}

/** Measures how fast chats are exported, and that a large export takes no more memory than a small one. */
export async function* measureChatExports(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  for (const [engine, options] of await newStores(workplace, database)) {
    const server = await startServer(workplace, options);
    const small = await exportChats(server, few);
    const large = await exportChats(server, many);
    const rate = large.messages / large.seconds;
    const reference = small.messages / small.seconds;
    const rest = `${few.toLocaleString('en')} messages (${perSecond(reference)})`;
    yield ratioLine(`chats exported, ${many.toLocaleString('en')} messages, ${engine}`, perSecond(rate), rate / reference, rest, {
      atLeast: 0.5,
    });
    yield countLine(`memory that the server needs for it, ${engine}, in MiB`, large.grown, { atMost: 150 });
    await end(server.child, 'SIGKILL');
  }
}

/** Fills a new account with a history and exports it. */
async function exportChats({ child, ready }: MeasuredServer, messages: number): Promise<Exported> {
  const control = (path: string, body: object) => request(`${ready.sandbox_url}${path}`, ready.sandbox_token, 'POST', body);
  const { api_key: key } = await control('/reset', {});
  const call = async (path: string, method: string, body?: object) =>
    (await request(`${ready.base_url}/chat-exports${path}`, String(key), method, body)).chat_export as ChatExport;
  await control('/demo', { messages, days: 300 });
  const before = memoryOf(child.pid, 'VmRSS');
  // The peak counts from here.
  writeFileSync(`/proc/${child.pid}/clear_refs`, '5');
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const began = performance.now();
  let made = await call('', 'POST', { from: day(310), to: day(0), format: 'csv' });
  while (made.status === 'queued' || made.status === 'processing') {
    await sleep(1_000);
    made = await call(`/${made.id}`, 'GET');
  }
  const seconds = (performance.now() - began) / 1_000;
  return { messages: made.messages ?? 0, seconds, grown: memoryOf(child.pid, 'VmHWM') - before };
}

/** The resident memory of a process, now or at its peak, in MiB. */
function memoryOf(pid: number | undefined, what: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${what}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
}

interface ChatExport {
  readonly id: string;
  readonly status: string;
  readonly messages: number | null;
}
