import type { Store } from '../store/store.ts';
import type { Meters } from './meters.ts';

/** A store that tells how long its reads and transactions take. */
export function meteredStore(store: Store, meters: Meters): Store {
  const timed = async <Result>(kind: 'read' | 'write', work: () => Promise<Result>): Promise<Result> => {
    const started = performance.now();
    try {
      return await work();
    } finally {
      meters.store(kind, (performance.now() - started) / 1_000);
    }
  };
  return {
    engine: store.engine,
    read: (work) => timed('read', () => store.read(work)),
    // A snapshot takes as long as the work on it.
    snapshot: (work) => store.snapshot(work),
    write: (work, options) => timed('write', () => store.write(work, options)),
    version: () => store.version(),
    refresh: (poll) => store.refresh(poll),
    close: () => store.close(),
    ...(store.copies && { copies: store.copies }),
  };
}
