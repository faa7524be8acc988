import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Chapter, chapters } from './demo/chapters.ts';
import { Stage } from './demo/stage.ts';
import { tour } from './demo/tour.ts';

// The demo: commands on the embedded service, each printed before it runs, in a temporary directory that is removed at the end.

const usage = `Usage: npm run demo [-- <chapter>]

  (none)           A tour
  all              Every chapter
${chapters.map(({ name, title }) => `  ${name.padEnd(15)}  ${title}\n`).join('')}`;

/** Builds the program unless it is built. */
function build(): void {
  const root = fileURLToPath(new URL('..', import.meta.url));
  if (existsSync(`${root}/dist`)) return;
  say('Building the program…');
  const { status } = spawnSync(process.execPath, ['rolldown.config.js'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error('The build failed. Run `npm ci`, and then `npm run build`.');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Runs chapters. @param needed those that prepare them, which are not shown */
async function play(shown: readonly Omit<Chapter, 'name'>[], needed: readonly Chapter[] = []): Promise<void> {
  const started = performance.now();
  const stage = new Stage();
  // Also when a step fails.
  process.once('exit', () => stage.close());
  for (const { steps } of needed) await stage.run(steps, true);
  for (const { title, steps } of shown) {
    say(`\n# ${title}`);
    await stage.run(steps);
  }
  // Its servers would keep this process running.
  stage.close();
  say(`\nDone in ${((performance.now() - started) / 1000).toFixed(1)} s. Next: npx msgctl --help`);
}

// The reader of a pipe, such as `head`, has seen enough.
process.stdout.on('error', () => process.exit());

const [wanted, ...rest] = process.argv.slice(2);
const chapter = chapters.find(({ name }) => name === wanted);
if (rest.length > 0 || (wanted !== undefined && wanted !== 'all' && !chapter)) {
  process.stderr.write(`There is no chapter '${[wanted, ...rest].join(' ')}'.\n\n${usage}`);
  process.exitCode = 2;
} else {
  build();
  if (chapter)
    await play(
      [chapter],
      chapters.filter(({ name }) => chapter.needs?.includes(name)),
    );
  else await play(wanted === 'all' ? chapters : tour);
}
