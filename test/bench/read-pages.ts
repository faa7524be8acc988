import { Defuddle } from 'defuddle/node';
import { parseHTML } from 'linkedom';

// The reference of the crawl, as a process of its own: it fetches one page after the other, and reads its main content with
// the same library, or only parses it. It stores nothing. It prints how many pages it read in a second.

const [origin = '', from = '0', to = '0', how] = process.argv.slice(2);

const began = performance.now();
for (let page = Number(from); page < Number(to); page++) {
  const url = `${origin}/p/${page}`;
  const { document } = parseHTML(await (await fetch(url)).text());
  if (how === 'read') await Defuddle(document as never, url, { useAsync: false, removeImages: true });
}
process.stdout.write(`${((Number(to) - Number(from)) * 1000) / (performance.now() - began)}\n`);
