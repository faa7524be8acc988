import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { World } from '../world.ts';
import type { ServerFactory } from './server.ts';

/** How long the last calls may take once stdin has ended, in milliseconds. */
const grace = 10_000;

/**
 * Serves one client on stdin and stdout. When stdin ends, the calls that it contained are still answered, as far as they end within 10
 * seconds. An interrupt ends it at once.
 */
export async function serveStreams({ make, idle }: ServerFactory, world: World, onError: (error: Error) => void): Promise<void> {
  // The library closes the connection with the end of its input, and would not answer what is being worked on.
  const input = new PassThrough();
  world.stdin.pipe(input, { end: false });
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) world.stdin.once(event, () => resolve());
  });
  const handle = serveStdio(make, { transport: new StdioServerTransport(input, world.stdout), onerror: onError });
  await Promise.race([ended.then(async () => await Promise.race([idle(), sleep(grace, undefined, { ref: false })])), world.interrupted]);
  await handle.close();
}
