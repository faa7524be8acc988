import type { ClientRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasBrowser, startBrowser } from '../pages/browser.ts';
import { call, end, type Ready, type Workplace } from '../support/processes.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { idleShare, memoryOf, openStream } from './relays.ts';
import { type Line, median, skippedLine } from './report.ts';
import { newStores, startServer } from './server.ts';

const visitors = 1_000;

/** So many at once are an attack. */
const crowd = 10_000;

/** The messages a second that are sent over widgets, and for how many seconds. */
const rate = 200;
const duration = 10;

/** The messages whose answer is awaited in the browser. A visitor may send ten in a minute. */
const asked = 100;
const askedByVisitor = 10;

interface Visitor {
  readonly token: string;
  readonly address: string;
}

/** A chat with an agent that answers, without a limit for a day. @returns the path of its page */
async function chatOn(ready: Ready): Promise<string> {
  const api = async (path: string, body: object) => (await call(`${ready.base_url}${path}`, ready.api_key, 'POST', body)).body;
  await call(`${ready.sandbox_url}/accounts/${ready.account_id}`, ready.sandbox_token, 'PATCH', { credits: 1_000_000 });
  const { agent_id: agent } = await api('/agents', { name: 'Ada', active: true });
  const { campaign } = (await api('/campaigns', { name: 'Questions', agent_id: agent })) as { campaign: { id: string } };
  const faqs = [{ question: 'When are you open?', answer: 'From nine to five.' }];
  await api('/faqs/import', { campaign_id: campaign.id, faqs });
  await call(`${ready.sandbox_url}/settle`, ready.sandbox_token, 'POST');
  const { widget } = (await api('/widgets', { name: 'Shop', agent_id: agent, daily_ai_replies: null })) as {
    widget: { public_id: string };
  };
  return `/w/${widget.public_id}`;
}

/** Makes visitors, each at an address of their own, until there are `count`. */
async function arrive(origin: string, path: string, first: number, count: number): Promise<Visitor[]> {
  const arrived: Visitor[] = [];
  for (let number = first; number < count; number++) {
    const address = `10.1.${number >> 8}.${number & 255}`;
    const { body } = await call(`${origin}${path}/visitors`, null, 'POST', {}, { 'x-forwarded-for': address });
    arrived.push({ token: String(body.token), address });
  }
  return arrived;
}

/** Sends messages at a rate. @returns the times of the requests, in milliseconds, and the rate that was reached */
async function chatter(origin: string, path: string, all: readonly Visitor[]) {
  const times: number[] = [];
  const open: Promise<void>[] = [];
  const begun = performance.now();
  for (let number = 0; number < rate * duration; number++) {
    await sleep(Math.max(0, begun + (number * 1_000) / rate - performance.now()));
    const { token, address } = all[number % all.length] as Visitor;
    const sent = performance.now();
    const body = { text: 'When are you open?' };
    open.push(
      call(`${origin}${path}/messages`, token, 'POST', body, { 'x-forwarded-for': address }).then(({ status }) => {
        if (status !== 201) throw new Error(`A message was answered ${status}`);
        times.push(performance.now() - sent);
      }),
    );
  }
  await Promise.all(open);
  return { times: times.sort((a, b) => a - b), reached: (rate * duration) / ((performance.now() - begun) / 1_000) };
}

/** The times from a visitor's Enter until the answer stands on the page, in milliseconds. */
async function answerTimes(url: string): Promise<number[]> {
  const browser = await startBrowser();
  const times: number[] = [];
  for (let visitor = 0; visitor < asked / askedByVisitor; visitor++) {
    const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': `10.2.0.${visitor}` } });
    const page = await context.newPage();
    await page.goto(url);
    for (let number = 1; number <= askedByVisitor; number++) {
      await page.getByLabel('Write a message').fill('When are you open?');
      // Measured in the page, so that what drives it does not count.
      await page.evaluate(`globalThis.answered = new Promise((resolve) => {
        let begun;
        addEventListener('keydown', () => (begun = performance.now()), { once: true, capture: true });
        const observer = new MutationObserver(() => {
          if (document.querySelectorAll('.message.agent').length < ${number}) return;
          observer.disconnect();
          resolve(performance.now() - begun);
        });
        observer.observe(document.body, { subtree: true, childList: true });
      }); undefined`);
      await page.keyboard.press('Enter');
      times.push(await page.evaluate<number>('answered'));
    }
    await context.close();
  }
  await browser.close();
  return times.sort((a, b) => a - b);
}

/** The times on a slow phone until a visitor can write, with nothing cached, in milliseconds. */
async function startTimes(url: string): Promise<number[]> {
  const browser = await startBrowser();
  const times: number[] = [];
  for (let number = 0; number < 7; number++) {
    const context = await browser.newContext({ viewport: { width: 360, height: 640 } });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    const network = { offline: false, latency: 400, downloadThroughput: 200_000, uploadThroughput: 90_000 };
    await session.send('Network.emulateNetworkConditions', network);
    await page.addInitScript(`globalThis.usable = new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (document.querySelector('textarea') === null) return;
        observer.disconnect();
        resolve(performance.now());
      });
      observer.observe(document, { subtree: true, childList: true });
    });`);
    await page.goto(url);
    times.push(await page.evaluate<number>('usable'));
    await context.close();
  }
  await browser.close();
  return times;
}

/** The value that a share of sorted numbers does not exceed. */
const quantile = (sorted: readonly number[], share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;

/** Measures visitors who only look, messages over widgets, and the times until a page can be used and an answer stands on it. */
export async function* measureVisitors(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  for (const [engine, options] of await newStores(workplace, database)) {
    const { child, ready, port } = await startServer(workplace, [...options, '--trusted-proxies', '127.0.0.1']);
    const origin = new URL(ready.base_url).origin;
    const path = await chatOn(ready);
    if (hasBrowser) {
      await answerTimes(origin + path);
      const times = await answerTimes(origin + path);
      const [half, most] = [median(times), quantile(times, 0.99)];
      const value = `${half.toFixed(0)} ms, p99 ${most.toFixed(0)} ms`;
      yield {
        what: `a message until its answer is on the page, ${engine}`,
        value,
        ratio: '',
        budget: 'p99 at most 400 ms',
        isKept: most <= 400,
      };
      const start = median(await startTimes(origin + path));
      const what = `a chat until it can be used, slow phone, ${engine}`;
      yield { what, value: `${start.toFixed(0)} ms`, ratio: '', budget: 'at most 1000 ms', isKept: start <= 1_000 };
    } else yield skippedLine('a message until its answer is on the page', 'Chromium is not installed');
    const streams: ClientRequest[] = [];
    const all: Visitor[] = [];
    for (const count of [visitors, crowd]) {
      const more = await arrive(origin, path, all.length, count);
      const before = memoryOf(child.pid as number);
      for (const { token, address } of more) streams.push(await openStream(port, `${path}/stream`, token, address));
      all.push(...more);
      // Before the looks for news leave garbage.
      await sleep(2_000);
      const memory = (memoryOf(child.pid as number) - before) / more.length;
      const share = await idleShare(child.pid as number);
      const what = `${count} idle visitors, ${engine}`;
      const isBounded = count === visitors;
      const budget = isBounded ? 'at most 5 %' : '';
      yield { what, value: `${share.toFixed(1)} %`, ratio: 'of a core', budget, isKept: !isBounded || share <= 5 };
      yield { what, value: `${memory.toFixed(1)} KiB`, ratio: 'of memory each', budget: 'at most 40 KiB', isKept: memory <= 40 };
    }
    for (const stream of streams.splice(visitors)) stream.on('error', () => {}).destroy();
    const { times, reached } = await chatter(origin, path, all.slice(0, visitors));
    const value = `${reached.toFixed(0)} /s`;
    const ratio = `p99 of a request ${quantile(times, 0.99).toFixed(0)} ms`;
    yield { what: `messages over widgets, ${engine}`, value, ratio, budget: `at least ${rate - 5} /s`, isKept: reached >= rate - 5 };
    for (const stream of streams) stream.on('error', () => {}).destroy();
    await end(child, 'SIGKILL');
  }
}
