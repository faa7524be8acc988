import { connect, createServer } from 'node:net';

// Passes connections on to a port of this machine, and delays what comes back: `node delay-proxy.ts <port> <milliseconds>`.
// Each request thus takes that much longer, as if the two were some distance apart. Prints the port that it listens on.

const [target, delay] = process.argv.slice(2).map(Number);

const server = createServer((client) => {
  const upstream = connect(target ?? 0, '127.0.0.1').setNoDelay();
  client.setNoDelay();
  client.on('data', (chunk) => upstream.write(chunk));
  upstream.on('data', (chunk) => setTimeout(() => client.write(chunk), delay));
  client.on('close', () => upstream.destroy());
  upstream.on('close', () => client.destroy());
  for (const socket of [client, upstream]) socket.on('error', () => {});
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as { port: number }).port}\n`));
