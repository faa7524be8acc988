import { spawn } from 'node:child_process';
import { widgetLookup } from '../../lookups/widgets.ts';
import type { Result } from '../../output/result.ts';
import type { Session } from '../../verb/noun.ts';
import type { World } from '../../world.ts';

/** Shows the address of a widget's page, and opens it in the browser of a person at a terminal. */
export async function openPage({ world, globals, names, notes }: Session, word: string): Promise<Result> {
  const { page_url } = await names.record(widgetLookup, word);
  const isForPerson = world.stdout.isTTY === true && globals.output === 'table';
  if (isForPerson && !(await open(page_url, world))) notes.say('No browser could be opened here: open the address yourself.');
  const record = { page_url };
  return { kind: 'record', answer: { widget: record }, record, text: `${page_url}\n` };
}

/** Opens an address. @returns whether a browser was started */
async function open(url: string, { platform, env: { BROWSER: browser, SystemRoot = 'C:\\Windows' } }: World): Promise<boolean> {
  // What a service answers could be anything.
  if (!/^https?:\/\//.test(url)) return false;
  const [command, ...args] =
    platform === 'darwin'
      ? ['open']
      : platform === 'win32'
        ? [`${SystemRoot}\\System32\\rundll32.exe`, 'url.dll,FileProtocolHandler']
        : [browser ?? 'xdg-open'];
  return await new Promise((resolve) => {
    const child = spawn(command ?? '', [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
