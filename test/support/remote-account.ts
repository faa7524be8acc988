import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { call } from './processes.ts';
import type { TestServer } from './server.ts';
import { readFiles } from './read-files.ts';
import { Home } from './terminal-world.ts';

/** Files by their paths in a folder. */
export type Files = Readonly<Record<string, string>>;

/** A new account on a server, with a home in which the program acts on it. */
export class RemoteAccount {
  readonly home = new Home();
  readonly key: string;
  readonly #server: TestServer;

  private constructor(server: TestServer, key: string, origin: string) {
    this.#server = server;
    this.key = key;
    this.home.env = { MSGCTL_API_KEY: key, MSGCTL_BASE_URL: `${origin}/v1` };
  }

  /** @param origin the origin that the program uses for the server; by default, the server's own */
  static async make(server: TestServer, origin = new URL(server.baseUrl).origin): Promise<RemoteAccount> {
    const sandbox = `${new URL(server.baseUrl).origin}/sandbox/accounts`;
    const { body } = await call(sandbox, server.token, 'POST', { name: 'Test account', kind: 'standard' });
    const plan = { key_requests_per_minute: 1_000_000, account_requests_per_minute: 1_000_000, max_agents: 200 };
    await call(`${sandbox}/${String(body.account_id)}`, server.token, 'PATCH', { plan });
    return new RemoteAccount(server, String(body.api_key), origin);
  }

  /** Calls the API like another client. */
  async other(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await call(`${this.#server.baseUrl}${path}`, this.key, method, body);
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer.body;
  }

  get folder(): string {
    return join(this.home.path, 'account');
  }

  /** Replaces the files of the account's folder. */
  write(files: Files): void {
    rmSync(this.folder, { recursive: true, force: true });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), text);
    }
  }

  async apply(...more: string[]) {
    return await this.home.run('apply', this.folder, '--yes', '--secrets-out', join(this.home.path, 'secrets'), '-o', 'json', ...more);
  }

  /** Dumps the account and returns the files. */
  async dump(): Promise<Files> {
    const folder = join(this.home.path, 'dump');
    rmSync(folder, { recursive: true, force: true });
    expect(await this.home.run('dump', folder, '-q')).toMatchObject({ code: 0, stderr: '' });
    return readFiles(folder);
  }

  remove(): void {
    this.home.remove();
  }
}
