import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';

// The reference for `account-as-code`, as a separate process. It sends the same requests as a command, with the same
// concurrency, and ignores the responses. Pages are requested one after another, and rules after the list of agents, for six
// agents at a time. All other requests are independent.

const [file = '', origin = '', key = ''] = process.argv.slice(2);
const paths = readFileSync(file, 'utf8').split('\n');
const dispatcher = new Agent();
const send = async (path: string) => {
  const { body } = await request(origin + path, { dispatcher, headers: { authorization: `Bearer ${key}` } });
  await body.text();
};
const sendInTurn = async (turn: Iterable<string>) => {
  for (const path of turn) await send(path);
};

const {
  rules = [],
  agents = [],
  pages = [],
  rest = [],
} = Object.groupBy(paths, (path) => {
  if (path.includes('/entry-points')) return 'rules';
  if (path.endsWith('/agents')) return 'agents';
  return path.includes('/faqs') ? 'pages' : 'rest';
});
const sendRules = async () => {
  await sendInTurn(agents);
  const queue = rules.values();
  await Promise.all(Array.from({ length: 6 }, () => sendInTurn(queue)));
};
await Promise.all([sendInTurn(pages), sendRules(), ...rest.map(send)]);
await dispatcher.close();
