import type { Transport } from '../../client/transport.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Output, World } from '../world.ts';
import { showsUnicode } from './screen.ts';

/** The wait in milliseconds before a spinner appears, so that it does not flicker on short calls. */
const spinnerDelay = 400;

/** Shows a spinner on a terminal while a long call is under way. */
export function withSpinner(transport: Transport, { stderr, env }: World, { quiet, debug }: GlobalOptions): Transport {
  // Where the width is unknown, the library draws without end.
  if (!stderr.isTTY || stderr.columns === 0 || quiet || debug || env.TERM === 'dumb') return transport;
  return {
    ...transport,
    async send(request) {
      const stop = spinSoon(`Waiting for ${transport.target}`, stderr, showsUnicode(env));
      try {
        return await transport.send(request);
      } finally {
        stop();
      }
    },
  };
}

/** Starts a spinner after a delay. Returns a function that stops it. */
function spinSoon(text: string, stream: Output, unicode: boolean): () => void {
  let spinner: { stop: () => unknown } | null = null;
  let isOver = false;
  const timer = setTimeout(() => {
    void import('ora').then(({ default: ora }) => {
      // With discardStdin, the library would handle the keyboard, and so Ctrl-C.
      if (!isOver) spinner = ora({ text, stream, discardStdin: false, spinner: unicode ? 'dots' : 'line' }).start();
    });
  }, spinnerDelay);
  return () => {
    isOver = true;
    clearTimeout(timer);
    spinner?.stop();
  };
}
