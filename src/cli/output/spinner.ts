import type { Transport } from '../../client/transport.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Output, World } from '../world.ts';
import { erasers } from './erasers.ts';
import { type Screen, screenOf } from './screen.ts';

/** Delay before a spinner appears, in milliseconds, so that it does not flicker on short calls. */
const spinnerDelay = 400;

/** The streams with a spinner. Another service that is called at the same time gets none, because they would overwrite each other. */
const spinning = new WeakSet<Output>();

/** Shows a spinner on a terminal during long calls. Concurrent calls share it. */
export function withSpinner(transport: Transport, world: World, { quiet, debug }: GlobalOptions): Transport {
  const { stderr, env } = world;
  // If the width is unknown, the library would draw endlessly.
  if (!stderr.isTTY || stderr.columns === 0 || quiet || debug || env.TERM === 'dumb') return transport;
  let calls = 0;
  let stop = () => {};
  return {
    ...transport,
    async send(request) {
      if (calls++ === 0) stop = spinSoon(`Waiting for ${transport.target}`, screenOf(stderr, world), stderr);
      try {
        return await transport.send(request);
      } finally {
        if (--calls === 0) stop();
      }
    },
  };
}

/** Starts a spinner after a delay. Returns a function that stops it. */
function spinSoon(text: string, { unicode, color }: Screen, stream: Output): () => void {
  let spinner: { stop: () => unknown } | null = null;
  let isOver = false;
  const timer = setTimeout(() => {
    void import('ora').then(({ default: ora }) => {
      // With discardStdin, the library would take over the keyboard, including Ctrl-C.
      const options = { text, stream, discardStdin: false, color: color ? ('cyan' as const) : (false as const) };
      if (isOver || erasers.has(stream) || spinning.has(stream)) return;
      spinning.add(stream);
      spinner = ora({ ...options, spinner: unicode ? 'dots' : 'line' }).start();
    });
  }, spinnerDelay);
  return () => {
    isOver = true;
    clearTimeout(timer);
    if (!spinner) return;
    spinner.stop();
    spinning.delete(stream);
  };
}
