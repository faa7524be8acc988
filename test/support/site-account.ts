import { call } from './processes.ts';
import { startServer, type TestServer } from './server.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- as answers are in tests
type Body = Record<string, any>;

/** What opens the account and the sandbox of a store. */
type Secrets = Pick<TestServer, 'apiKey' | 'token'>;

interface SiteOptions {
  /** By default, any free one. */
  readonly port?: number;
  /** The time at which the clock is frozen; by default, it runs. */
  readonly clock?: number;
  readonly database?: string;
  /** The secrets of a store that exists. */
  readonly known?: Secrets;
}

/** A server with an account whose agent answers, and whose events can be booked. */
export class SiteAccount {
  readonly server: TestServer;
  readonly #secrets: Secrets;

  private constructor(server: TestServer, secrets: Secrets) {
    this.server = server;
    this.#secrets = secrets;
  }

  static async open({ port, clock, database, known }: SiteOptions = {}): Promise<SiteAccount> {
    const server = await startServer({
      ...(port !== undefined && { port }),
      ...(clock !== undefined && { clock }),
      ...(database !== undefined && { database }),
    });
    return new SiteAccount(server, known ?? server);
  }

  get origin(): string {
    return this.server.origin;
  }

  /** Makes a call of the interface that must succeed. */
  async api(method: string, path: string, body?: unknown): Promise<Body> {
    return await SiteAccount.#succeed(`${this.server.baseUrl}${path}`, this.#secrets.apiKey, method, body);
  }

  async sandbox(method: string, path: string, body?: unknown): Promise<Body> {
    return await SiteAccount.#succeed(`${this.server.origin}/sandbox${path}`, this.#secrets.token, method, body);
  }

  static async #succeed(url: string, key: string, method: string, body: unknown): Promise<Body> {
    const answer = await call(url, key, method, body);
    if (answer.status >= 300) throw new Error(`${method} ${url}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Makes an agent that answers from these FAQs. @returns its id */
  async teach(faqs: readonly (readonly [question: string, answer: string])[]): Promise<string> {
    const { agent_id: id } = await this.api('POST', '/agents', { name: 'Ada', active: true });
    const { campaign } = await this.api('POST', '/campaigns', { name: 'Questions', agent_id: id });
    const body = { campaign_id: campaign.id, faqs: faqs.map(([question, answer]) => ({ question, answer })) };
    await this.api('POST', '/faqs/import', body);
    await this.sandbox('POST', '/settle');
    return id as string;
  }

  close(): Promise<void> {
    return this.server.close();
  }
}
