import { iso } from '../../../contract/time/instants.ts';
import { invalidValueError } from '../../invalid-value.ts';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseJson } from '../../../contract/json.ts';
import { limits } from '../../../contract/limits.ts';
import { isLoopbackHost } from '../../../contract/loopback.ts';
import { describeListenError, describeNetworkError, networkErrorCode } from '../../../contract/network-errors.ts';
import { type Connections, openConnections } from '../../../client/connections.ts';
import { isFresh, isSigned } from '../../../contract/deliveries/signature.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { serviceTime } from '../../verb/service-time.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { readUserText } from '../../files/read.ts';
import { terminalSafe, terminalText } from '../../output/cell.ts';
import type { Result } from '../../output/result.ts';
import type { Target } from '../../connection/target-choice.ts';
import { removeOrphans, subscribe } from './own-webhook.ts';

const defaultPort = 4700;

/** Maximum size of a request body, in bytes. */
const maxBodyBytes = 1024 * 1024;

/** Number of delivery ids to remember for detecting duplicates. */
const maxRemembered = 10_000;

/** Timeout for a forwarded request, in milliseconds; shorter than the sender's timeout. */
const forwardTimeout = 9_000;

/** A received delivery for output. */
interface Received {
  readonly at: string;
  readonly event: string | null;
  readonly delivery_id: string | null;
  readonly attempt: number | null;
  /** Null if there is no secret for verification. */
  readonly genuine: boolean | null;
  readonly fresh: boolean | null;
  readonly duplicate: boolean;
  /** The status of the forwarded request; null if the delivery was not forwarded. */
  readonly forward_status: number | null;
  readonly answered: number;
  readonly body: unknown;
}

/** Receives deliveries until it is interrupted. */
export async function listen(session: Session, options: Options): Promise<Result> {
  const { world } = session;
  const forward = options.forward === undefined ? null : parseForward(options.forward as string);
  const fileSecret = options.secretFile === undefined ? null : await readSecret(options.secretFile as string);
  const listener = new Listener(session, forward === null ? null : await openReceiver(forward));
  listener.secret = fileSecret;
  // If the user gives a secret, there is already a webhook. Orphaned webhooks are removed before this listener uses their port.
  const subscribes = fileSecret === null && deliversHere(session.targets.resolve());
  if (subscribes) await removeOrphans(session);
  const port = await listener.open((options.port as number | undefined) ?? defaultPort);
  const url = `http://127.0.0.1:${port}/`;
  // From here on, a signal stops the listener instead of ending the process.
  const interrupted = world.interrupted;
  let unsubscribe: (() => Promise<void>) | null = null;
  try {
    if (subscribes) {
      const subscribed = await subscribe(session, url, options.events as string[] | undefined);
      listener.secret = subscribed.secret;
      unsubscribe = subscribed.remove;
    }
    announce(session, url, unsubscribe && listener.secret);
    await interrupted;
  } finally {
    await listener.close();
    await unsubscribe?.();
  }
  return { kind: 'nothing' };
}

/** Prints where it listens, and the secret of its own webhook, with which a receiver behind `--forward` can verify deliveries. */
function announce({ globals, notes }: Session, url: string, secret: string | null): void {
  const line = { event: 'listening', url, signing_secret: secret };
  const subscribed = secret === null ? '' : ', subscribed';
  const text = `Listening on ${url}${subscribed}. Press Ctrl-C to stop.`;
  if (globals.output !== 'json') notes.say(secret === null ? text : [text, `Signing secret: ${secret}`]);
  // With -o json, notes are suppressed, but a script needs the port and the secret.
  else if (!globals.quiet) notes.event(line);
}

/** Whether the service can deliver to this machine: it is the embedded service, or runs on this machine. */
function deliversHere({ baseUrl }: Target): boolean {
  return baseUrl === null || isLoopbackHost(new URL(baseUrl).hostname);
}

function parseForward(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw invalidValueError('--forward', text, 'must be an http or https address');
  return text;
}

async function readSecret(file: string): Promise<string> {
  const secret = (await readUserText(file)).trim();
  if (secret === '') throw usageError(`The file ${file} is empty`);
  return secret;
}

function whyNotForwarded(error: unknown): string {
  const code = networkErrorCode(error);
  return describeNetworkError(code) ?? (code || 'the connection failed');
}

/** The receiver that deliveries are forwarded to. */
interface Receiver {
  /** As the user wrote it. */
  readonly address: string;
  readonly path: string;
  readonly connections: Connections;
}

async function openReceiver(address: string): Promise<Receiver> {
  const url = new URL(address);
  return { address, path: url.pathname + url.search, connections: await openConnections(new URL('/', url).href) };
}

class Listener {
  secret: string | null = null;
  readonly #session: Session;
  readonly #forward: Receiver | null;
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  /** The ids of accepted deliveries, oldest first. */
  readonly #known = new Set<string>();

  constructor(session: Session, forward: Receiver | null) {
    this.#session = session;
    this.#forward = forward;
  }

  /** Starts listening and returns the port. @throws CliError 1 if the port is in use */
  async open(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) =>
        reject(
          new CliError(exitCodes.failed, 'port', `Cannot listen on port ${port}: ${describeListenError(error.code)}`, {
            hint: 'Choose another port with --port; 0 for any free port.',
          }),
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
    await this.#forward?.connections.close();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request).catch(() => null);
    if (body === null) {
      this.#session.notes.say(`Refused a body of more than ${maxBodyBytes} bytes.`);
      return void response.writeHead(413).end();
    }
    const received = await this.#process(request, body);
    // Printed before the response is sent: a test may kill this process as soon as the sender has the response.
    this.#print(received);
    response.writeHead(received.answered).end();
  }

  async #process({ headers, method }: IncomingMessage, body: Buffer): Promise<Received> {
    const { world } = this.#session;
    const header = (name: string) => (headers[name] as string | undefined) ?? null;
    const id = header('x-webhook-delivery');
    const timestamp = header('x-webhook-timestamp') ?? '';
    const genuine = this.secret === null ? null : isSigned(this.secret, timestamp, body, header('x-webhook-signature') ?? '');
    const fresh = genuine ? await this.#isFresh(timestamp) : null;
    const duplicate = id !== null && this.#known.has(id);
    const refusal = refusalOf(method, headers) ?? (genuine === false || fresh === false ? 401 : null);
    const isForwarded = refusal === null && !duplicate;
    const forwarded = isForwarded && this.#forward !== null ? await this.#forwardTo(this.#forward, headers, body) : null;
    const answered = refusal ?? forwarded ?? 200;
    // A delivery that was not accepted is sent again, and must then not count as a duplicate.
    if (id !== null && answered < 300) this.#remember(id);
    return {
      at: iso(world.now()),
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

  /** The clock of a sandbox can be frozen or moved, so a timestamp that is stale on this machine is compared with that clock. */
  async #isFresh(timestamp: string): Promise<boolean> {
    const { world, targets } = this.#session;
    if (isFresh(timestamp, world.now())) return true;
    if (!deliversHere(targets.resolve())) return false;
    const now = await serviceTime(targets, world, false).catch(() => world.now());
    return isFresh(timestamp, now);
  }

  /** Forwards a delivery unchanged. Returns the status of the response; 502 if there is none. */
  async #forwardTo({ address, path, connections }: Receiver, headers: IncomingMessage['headers'], body: Buffer): Promise<number> {
    const kept = Object.entries(headers).filter(
      ([name]) => name === 'content-type' || name === 'user-agent' || name.startsWith('x-webhook-'),
    );
    const deadline = this.#session.world.deadline(forwardTimeout);
    try {
      const request = { method: 'POST', path, headers: Object.fromEntries(kept) as Record<string, string>, body } as const;
      const answer = await connections.send(request, deadline);
      // The body may be endless.
      answer.body.destroy();
      return answer.status;
    } catch (error) {
      const reason = deadline.aborted ? `no answer arrived within ${forwardTimeout / 1000} seconds` : whyNotForwarded(error);
      this.#session.notes.say(`Not forwarded to ${address}: ${reason}`);
      return 502;
    }
  }

  #remember(id: string): void {
    this.#known.delete(id);
    this.#known.add(id);
    const [oldest = ''] = this.#known;
    if (this.#known.size > maxRemembered) this.#known.delete(oldest);
  }

  #print(received: Received): void {
    const { world, globals } = this.#session;
    const asObject = globals.output === 'json' || globals.output === 'ndjson';
    const text = asObject ? JSON.stringify(received) : lineOf(received);
    world.stdout.write(`${world.stdout.isTTY ? terminalSafe(text) : text}\n`);
  }
}

/** The status for a request that is no delivery; null if it can be one. A page in a browser must not reach the receiver. */
function refusalOf(method: string | undefined, headers: IncomingMessage['headers']): number | null {
  if (method !== 'POST') return 405;
  return headers.origin !== undefined || headers['sec-fetch-site'] !== undefined ? 403 : null;
}

/** Reads a body. @throws Error if it exceeds the limit */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Error('The body is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseBody(body: Buffer): unknown {
  const text = body.toString();
  try {
    return parseJson(text, limits.answerLevels);
  } catch {
    return text;
  }
}

/** A delivery as a single line. */
function lineOf(received: Received): string {
  const { at, event, delivery_id: id, attempt, genuine, fresh, duplicate, forward_status: forwarded, answered } = received;
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
