import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { type AddressInfo, connect } from 'node:net';
import type { Client } from '../../../client/client.ts';
import { InterfaceError } from '../../../client/errors.ts';
import { eventNames } from '../../../contract/areas/webhooks/event-names.ts';
import { getHealth } from '../../../contract/areas/health/endpoints.ts';
import { isFresh, isSigned } from '../../../contract/areas/webhooks/signature.ts';
import { createWebhook, deleteWebhook, listWebhooks } from '../../../contract/areas/webhooks/endpoints.ts';
import type { Options, Session } from '../../command/command.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { terminalText } from '../../output/cell.ts';
import type { Result } from '../../output/result.ts';
import { readUserFile } from '../../files/read.ts';
import { isLoopback, type Target } from '../../target/targets.ts';

const defaultPort = 4700;

/** The longest body that is taken, in bytes. */
const bodyAtMost = 1024 * 1024;

/** How many deliveries are remembered, to know those that come twice. */
const rememberedAtMost = 10_000;

/** How long what a delivery is forwarded to may take, in milliseconds: less than the sender waits. */
const forwardPatience = 9_000;

/** What a subscription of a listener is called, with its process and its machine, so that one left behind is known. */
const namePrefix = 'msgctl listen ';

/** A delivery, as it is shown. */
interface Heard {
  readonly at: string;
  readonly event: string | null;
  readonly delivery_id: string | null;
  readonly attempt: number | null;
  /** Null without a secret to verify with. */
  readonly genuine: boolean | null;
  readonly fresh: boolean | null;
  readonly duplicate: boolean;
  /** What the forwarded delivery was answered; null when it was not forwarded. */
  readonly forward_status: number | null;
  readonly answered: number;
  readonly body: unknown;
}

/** Receives deliveries until it is interrupted. */
export async function listen(session: Session, options: Options): Promise<Result> {
  const { world, notes } = session;
  const forward = options.forward === undefined ? null : checkForward(options.forward as string);
  const fileSecret = options.secretFile === undefined ? null : await readSecret(options.secretFile as string);
  const listener = new Listener(session, forward);
  listener.secret = fileSecret;
  // Who brings a secret has a subscription already. What was left behind goes before anything listens in its place.
  const subscribes = fileSecret === null && isSandbox(session.targets.resolve());
  if (subscribes) await sweep(session);
  const port = await listener.open((options.port as number | undefined) ?? defaultPort);
  const url = `http://127.0.0.1:${port}/`;
  // From here on a signal ends it in order.
  const interrupted = world.interrupted;
  let unsubscribe: (() => Promise<void>) | null = null;
  try {
    if (subscribes) {
      const subscribed = await subscribe(session, url, options.events as string[] | undefined);
      listener.secret = subscribed.secret;
      unsubscribe = subscribed.remove;
    }
    notes.say(`Listening on ${url}${unsubscribe ? ', subscribed' : ''}. Ctrl-C ends it.`);
    await interrupted;
  } finally {
    await listener.close();
    await unsubscribe?.();
  }
  return { kind: 'nothing' };
}

/** Whether deliveries can come to this machine: from the embedded service, or from a server on it. */
function isSandbox({ baseUrl }: Target): boolean {
  return baseUrl === null || isLoopback(baseUrl);
}

function checkForward(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) throw usageError(`--forward must be an address, not '${text}'`);
  return text;
}

async function readSecret(file: string): Promise<string> {
  const secret = (await readUserFile(file)).toString().trim();
  if (secret === '') throw usageError(`${file} holds no secret`);
  return secret;
}

/** Removes what listeners that were killed left behind. */
async function sweep({ targets }: Session): Promise<void> {
  const client = await targets.client();
  const { webhooks } = await client.call(listWebhooks, {});
  for (const webhook of webhooks) if (await isLeftBehind(webhook)) await remove(client, webhook.name);
}

/** Removes a subscription; one that is gone already is as good. */
async function remove(client: Client, name: string): Promise<void> {
  await client.call(deleteWebhook, { params: { webhookId: name } }).catch((error: unknown) => {
    if (!(error instanceof InterfaceError && error.status === 404)) throw error;
  });
}

/** Subscribes the listener. */
async function subscribe({ targets }: Session, url: string, events: string[] | undefined) {
  const client = await targets.client();
  const name = `${namePrefix}${process.pid} on ${hostname()}`;
  const subscribed_to = events ?? eventNames.filter((event) => event !== 'Channel Connected');
  const body = { url, name, subscribed_to: subscribed_to as never, generate_signing_secret: true, retries_enabled: true };
  const { signing_secret: secret } = await client.call(createWebhook, { body });
  return {
    secret: secret ?? null,
    remove: () => remove(client, name),
  };
}

/** Whether a subscription is of a listener of this machine that listens no more. */
async function isLeftBehind({ name, url }: { name: string; url: string }): Promise<boolean> {
  if (!name.startsWith(namePrefix) || !name.endsWith(` on ${hostname()}`)) return false;
  return await new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('connect', () => resolve(false));
    socket.on('error', () => resolve(true));
    socket.on('connect', () => socket.destroy());
  });
}

class Listener {
  secret: string | null = null;
  readonly #session: Session;
  readonly #forward: string | null;
  readonly #server = createServer((request, response) => void this.#take(request, response));
  /** The deliveries that were taken, the oldest first. */
  readonly #known = new Set<string>();

  constructor(session: Session, forward: string | null) {
    this.#session = session;
    this.#forward = forward;
  }

  /** Begins to listen. Returns the port. @throws CliError 1 when it is taken */
  async open(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) =>
        reject(
          new CliError(
            exitCodes.failed,
            'port',
            error.code === 'EADDRINUSE' ? `Port ${port} is in use` : `Cannot listen on port ${port}: ${error.message}`,
            {
              hint: 'Choose another with --port; 0 takes a free one.',
            },
          ),
        ),
      );
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeIdleConnections();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    const timer = setTimeout(() => this.#server.closeAllConnections(), 2_000);
    await closed;
    clearTimeout(timer);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request).catch(() => null);
    if (body === null) {
      this.#session.notes.say(`A body of more than ${bodyAtMost} bytes was refused.`);
      return void response.writeHead(413).end();
    }
    const heard = await this.#judge(request, body);
    // Whoever reads the answer may kill this process: what was heard is printed before.
    this.#print(heard);
    response.writeHead(heard.answered).end();
  }

  async #judge({ headers, method }: IncomingMessage, body: Buffer): Promise<Heard> {
    const { world } = this.#session;
    const header = (name: string) => (headers[name] as string | undefined) ?? null;
    const id = header('x-webhook-delivery');
    const timestamp = header('x-webhook-timestamp') ?? '';
    const genuine = this.secret === null ? null : isSigned(this.secret, timestamp, body, header('x-webhook-signature') ?? '');
    const fresh = genuine ? await this.#isFresh(timestamp) : null;
    const duplicate = id !== null && this.#known.has(id);
    const isRefused = genuine === false || fresh === false;
    const forwarded = !isRefused && !duplicate && this.#forward !== null ? await this.#handOn(this.#forward, headers, body) : null;
    const answered = method !== 'POST' ? 405 : isRefused ? 401 : (forwarded ?? 200);
    // One that was not taken comes again, and is no duplicate then.
    if (id !== null && answered < 300) this.#remember(id);
    return {
      at: new Date(world.now()).toISOString(),
      event: header('x-webhook-event'),
      delivery_id: id,
      attempt: Number(header('x-webhook-attempt')) || null,
      genuine,
      fresh,
      duplicate,
      forward_status: forwarded,
      answered,
      body: parseBody(body),
    };
  }

  /** The sandbox's clock may stand still or be set: what is stale by ours is judged by its own. */
  async #isFresh(timestamp: string): Promise<boolean> {
    const { world, targets } = this.#session;
    if (isFresh(timestamp, world.now())) return true;
    if (!isSandbox(targets.resolve())) return false;
    try {
      const { time } = await (await targets.client()).call(getHealth, {});
      return isFresh(timestamp, Date.parse(time));
    } catch {
      return false;
    }
  }

  /** Hands a delivery on as it came. Returns what it was answered; 502 when there was no answer. */
  async #handOn(url: string, headers: IncomingMessage['headers'], body: Buffer): Promise<number> {
    const kept = Object.entries(headers).filter(
      ([name]) => name === 'content-type' || name === 'user-agent' || name.startsWith('x-webhook-'),
    );
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: Object.fromEntries(kept) as Record<string, string>,
        body: new Uint8Array(body),
        redirect: 'manual',
        signal: AbortSignal.timeout(forwardPatience),
      });
      await answer.body?.cancel();
      return answer.status;
    } catch (error) {
      this.#session.notes.say(`Not forwarded: ${(error as Error).message}`);
      return 502;
    }
  }

  #remember(id: string): void {
    this.#known.delete(id);
    this.#known.add(id);
    const [oldest = ''] = this.#known;
    if (this.#known.size > rememberedAtMost) this.#known.delete(oldest);
  }

  #print(heard: Heard): void {
    const { world, globals } = this.#session;
    const asObject = globals.output === 'json' || globals.output === 'ndjson';
    world.stdout.write(`${asObject ? JSON.stringify(heard) : lineOf(heard)}\n`);
  }
}

/** Reads a body. @throws Error when it is too long */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyAtMost) throw new Error('The body is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseBody(body: Buffer): unknown {
  const text = body.toString();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A delivery in a line: when, what, whether it is genuine, and what became of it. */
function lineOf(heard: Heard): string {
  const { at, event, delivery_id: id, attempt, genuine, fresh, duplicate, forward_status: forwarded, answered } = heard;
  const verdict = genuine === null ? 'not verified' : !genuine ? 'FORGED' : fresh ? 'genuine' : 'STALE';
  const parts = [
    at.slice(11, 19),
    event ?? 'no event',
    id ?? 'no id',
    `attempt ${attempt ?? '?'}`,
    verdict,
    duplicate ? 'duplicate' : null,
    forwarded === null ? null : `forwarded: ${forwarded}`,
    `answered ${answered}`,
  ];
  return terminalText(parts.filter((part) => part !== null).join('  '));
}
