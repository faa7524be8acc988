import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A server that the demo starts, in a process of its own, because the demo blocks while a command runs. */
export interface Server {
  readonly url: string;
  readonly close: () => void;
}

/** @param code prints the port of the server */
async function start(code: string): Promise<Server> {
  // It ends with the demo, whatever ends that: then its stdin is closed.
  const child = spawn(process.execPath, ['-e', `process.stdin.resume().on('end', () => process.exit());${code}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: `http://127.0.0.1:${port.toString().trim()}`, close: () => child.kill() };
}

/** Starts a website with a page of questions. */
export function startSite(): Promise<Server> {
  const pages = {
    '/': '<title>Ferns</title><a href=/faq>Questions</a><a href=/login>Log in</a><h1>Ferns</h1><p>We grow ferns in Berlin.</p>',
    '/faq': '<title>Questions</title><h1>Questions</h1><h2>Do you ship abroad?</h2><p>Yes, to all of Europe.</p>',
    '/login': '<title>Log in</title><form></form>',
  };
  return start(`const pages = ${JSON.stringify(pages)};
    const server = require('node:http').createServer(({ url }, response) => {
      response.writeHead(pages[url] ? 200 : 404, { 'content-type': 'text/html' }).end(pages[url]);
    });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`);
}

/** Starts a function that tells the weather of a city. */
export function startWeather(): Promise<Server> {
  return start(`const server = require('node:http').createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += chunk)).on('end', () => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ weather: 'sunny, 21 degrees' }));
      });
    });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`);
}

/** Starts a model with the chat-completions protocol. It asks for the first function that it is told of, and says what that returned. */
export function startModel(): Promise<Server> {
  return start(`const call = (name) => ({ content: null, tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: '{"city":"Berlin"}' } }] });
    const server = require('node:http').createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += chunk)).on('end', () => {
        const { messages, tools } = JSON.parse(text);
        const result = messages.find(({ role }) => role === 'tool');
        const said = result ? { content: 'In Berlin it is ' + JSON.parse(result.content).weather + '.' } : tools ? call(tools[0].function.name) : { content: 'Hello' };
        const choice = { index: 0, message: { role: 'assistant', ...said }, finish_reason: said.tool_calls ? 'tool_calls' : 'stop' };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices: [choice] }));
      });
    });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`);
}

/** Starts a receiver of webhooks. It answers 200, or what `PUT /<status>` tells it. */
export function startReceiver(): Promise<Server> {
  return start(`let status = 200;
    const server = require('node:http').createServer((request, response) => {
      if (request.method === 'PUT') status = Number(request.url.slice(1));
      request.resume().on('end', () => response.writeHead(request.method === 'PUT' ? 200 : status).end());
    });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`);
}
