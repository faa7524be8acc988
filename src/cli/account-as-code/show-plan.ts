import { pagerCommand, printPaged } from '../output/pager.ts';
import type { Session } from '../verb/noun.ts';
import { canAsk } from '../world.ts';

/**
 * Shows a plan above the question whether to apply it. One that is longer than the window is shown in the pager, because it would
 * scroll off. Where the output is for programs, it is shown on stderr to a person who is asked.
 * @param textFor the text for a stream
 */
export async function showPlan({ globals, world }: Session, textFor: (stream: 'stdout' | 'stderr') => Promise<string>): Promise<void> {
  const isAsked = !globals.yes && canAsk(world);
  if (globals.output !== 'table') {
    if (isAsked) world.stderr.write(await textFor('stderr'));
    return;
  }
  const text = await textFor('stdout');
  const pager = globals.pager && isAsked ? pagerCommand(world) : undefined;
  const print = async (part: string) => void world.stdout.write(part);
  if (pager === undefined) await print(text);
  else await printPaged(pager, world, print, (write) => write(text));
}
