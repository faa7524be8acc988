import { createServer } from 'node:http';

// A website of 2,000 pages with loops, traps and errors, as a separate process that prints its port. Page N links to the pages
// 2N+1 and 2N+2, to itself under other URLs, to an endless calendar, and to pages that do not exist.

const pages = 2_000;

const words = 'fern soil water light leaf pot shade frost root spring summer garden moss seed branch stone rain window room hand'.split(
  ' ',
);

/** Text that differs between pages but is always the same for a page. */
function sentence(seed: number): string {
  const chosen = Array.from({ length: 14 }, (_, index) => words[(seed * 7 + index * (3 + (seed % 5))) % words.length]);
  return `The ${chosen.join(' ')}.`;
}

function page(number: number): string {
  const links = [2 * number + 1, 2 * number + 2]
    .filter((each) => each < pages)
    .map((each) => `<li><a href="/p/${each}">Page ${each}</a></li>`);
  const loops = `<a href="/">Home</a><a href="/p/${number}?utm_source=nav">Self</a><a href="/p/${number}#top">Top</a><a href="/calendar/2026/1">Dates</a><a href="/gone/${number}">Gone</a>`;
  const sections = Array.from({ length: 4 }, (_, part) => {
    const text = Array.from({ length: 4 }, (_each, index) => sentence(number * 31 + part * 7 + index)).join(' ');
    return `<h2>What about part ${part} of page ${number}?</h2><p>${text}</p>`;
  }).join('');
  return `<!doctype html><html><head><title>Page ${number}</title></head><body><header><nav>${loops}</nav></header><div class="cookie-banner"><p>We use cookies.</p></div><main><h1>Page ${number}</h1>${sections}<ul>${links.join('')}</ul></main><footer>© Ferns</footer></body></html>`;
}

function calendar(year: number, month: number): string {
  const next = month === 12 ? [year + 1, 1] : [year, month + 1];
  return `<html><head><title>${year}-${month}</title></head><body><a href="/calendar/${next.join('/')}">Next</a></body></html>`;
}

const server = createServer((request, response) => {
  const [path = ''] = (request.url ?? '').split('?');
  const number = path === '/' ? 0 : Number(/^\/p\/(\d+)$/.exec(path)?.[1] ?? NaN);
  const [, year, month] = /^\/calendar\/(\d+)\/(\d+)$/.exec(path) ?? [];
  const body = number < pages ? page(number) : year !== undefined ? calendar(Number(year), Number(month)) : undefined;
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(body ?? 'There is no such page');
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
