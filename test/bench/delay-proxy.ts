import { connect, createServer } from 'node:net';

// Forwards connections to a local port and delays the responses: `node delay-proxy.ts <port> <milliseconds>`. Each request
// takes that much longer, as if the server were further away. Prints the port that it listens on.

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
