import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';

// The reference of `account-as-code`, as a process of its own: it sends the requests that a command sent, and does nothing
// with the answers. Requests that do not need each other's answers are sent six at a time, as the command does.

const [file = '', origin = '', key = ''] = process.argv.slice(2);
const paths = readFileSync(file, 'utf8').split('\n');
const dispatcher = new Agent({ connections: 6 });
const send = async (path: string) => {
  const { body } = await request(origin + path, { dispatcher, headers: { authorization: `Bearer ${key}` } });
  await body.text();
};

const isAlone = (path: string) => !path.includes('/entry-points');
for (const path of paths.filter(isAlone)) await send(path);
const others = paths.filter((path) => !isAlone(path)).values();
const worker = async () => {
  for (const path of others) await send(path);
};
await Promise.all(Array.from({ length: 6 }, worker));
await dispatcher.close();
