import type { Transport } from '../../client/transport.ts';
import type { GlobalOptions } from '../command/global-options.ts';
import type { Output, World } from '../world.ts';

/** After how many milliseconds of waiting a spinner shows: short waits shall not flicker. */
const patience = 400;

/** Shows on a terminal that a call is under way, once it takes long. */
export function withSpinner(transport: Transport, { stderr, env }: World, { quiet, debug }: GlobalOptions): Transport {
  if (!stderr.isTTY || quiet || debug || env.TERM === 'dumb') return transport;
  return {
    ...transport,
    async send(request) {
      const stop = spinSoon(`Waiting for ${transport.target}`, stderr);
      try {
        return await transport.send(request);
      } finally {
        stop();
      }
    },
  };
}

/** Starts a spinner in a while. Returns what stops it. */
function spinSoon(text: string, stream: Output): () => void {
  let spinner: { stop: () => unknown } | null = null;
  let isOver = false;
  const timer = setTimeout(() => {
    void import('ora').then(({ default: ora }) => {
      // To discard stdin it would take the keyboard, and its signals.
      if (!isOver) spinner = ora({ text, stream, discardStdin: false }).start();
    });
  }, patience);
  return () => {
    isOver = true;
    clearTimeout(timer);
    spinner?.stop();
  };
}
