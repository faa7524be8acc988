import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A page: its HTML, or a function that handles the request. */
export type Page = string | ((response: ServerResponse, request: IncomingMessage) => void);

/** A local website. */
export class Site {
  /** The pages by path including the query. All other paths return 404. */
  readonly pages = new Map<string, Page>();
  /** The requests in order. */
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[] = [];
  /** Maximum number of concurrent requests so far. */
  most = 0;
  #now = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const path = request.url ?? '';
      this.requests.push({ path, headers: request.headers });
      this.most = Math.max(this.most, ++this.#now);
      response.on('close', () => this.#now--);
      const page = this.pages.get(path);
      if (typeof page === 'function') return page(response, request);
      response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(page ?? 'There is no such page');
    });
  }

  /** @param pages the pages by path */
  static async open(pages: Readonly<Record<string, Page>> = {}): Promise<Site> {
    const site = new Site();
    for (const [path, page] of Object.entries(pages)) site.pages.set(path, page);
    await new Promise<void>((resolve) => site.#server.listen(0, '127.0.0.1', resolve));
    return site;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  url(path = '/'): string {
    return `http://${this.host}${path}`;
  }

  /** Returns and clears the paths requested so far, without robots.txt. */
  take(): string[] {
    const paths = this.requests.splice(0).map(({ path }) => path);
    return paths.filter((path) => path !== '/robots.txt');
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A page with a title and a body. */
export function html(title: string, body: string): string {
  return `<!doctype html><html><head><title>${title}</title></head><body>${body}</body></html>`;
}

/** A page with a custom status and headers. */
export function answer(status: number, headers: Readonly<Record<string, string>>, body: string | Buffer = ''): Page {
  return (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}
