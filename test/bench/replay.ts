import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';

// The reference of `account-as-code`, as a process of its own: it sends the requests that a command sent, as many at once as
// the command does, and does nothing with the answers. Pages follow each other, rules follow the list of agents, six agents
// at a time, and the rest needs nothing.

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
