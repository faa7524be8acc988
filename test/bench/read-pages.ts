import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';

// The reference for the crawling benchmark, as a separate process: it fetches pages one after another, and extracts their main
// content with the same library, or only parses them. It stores nothing, and prints the number of pages per second.

const [origin = '', from = '0', to = '0', how] = process.argv.slice(2);

const began = performance.now();
for (let page = Number(from); page < Number(to); page++) {
  const url = `${origin}/p/${page}`;
  const { document } = parseHTML(await (await fetch(url)).text());
  if (how === 'read') new Readability(document as never).parse();
}
process.stdout.write(`${((Number(to) - Number(from)) * 1000) / (performance.now() - began)}\n`);
