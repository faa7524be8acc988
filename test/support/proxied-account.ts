import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { Proxy } from './proxy.ts';
import { RemoteAccount } from './remote-account.ts';
import { startServer, type TestServer } from './server.ts';

/** A server, a proxy in front of it, and an account on which the program acts through the proxy. */
interface ProxiedAccount {
  readonly server: TestServer;
  readonly proxy: Proxy;
  readonly account: RemoteAccount;
}

/** Opens a server and a proxy for the tests of this block, and an account for each of them. @param use called before each test */
export function useProxiedAccount(use: (opened: ProxiedAccount) => void): void {
  let server: TestServer;
  let proxy: Proxy;
  let account: RemoteAccount;

  beforeAll(async () => {
    server = await startServer();
    proxy = await Proxy.open(new URL(server.baseUrl).origin);
  });

  beforeEach(async () => {
    account = await RemoteAccount.make(server, proxy.origin);
    use({ server, proxy, account });
  });

  afterEach(() => {
    proxy.decide = () => 'passes';
    proxy.change = (_path, body) => body;
    account.remove();
  });

  afterAll(async () => {
    await proxy.close();
    await server.close();
  });
}
