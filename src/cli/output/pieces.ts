import type { World } from '../world.ts';
import { terminalSafe } from './cell.ts';

/** Prints pieces as they come, until they end, the command is interrupted, or nobody reads them any more. @param stop ends them */
export async function printPieces(world: World, pieces: AsyncIterable<string>, stop: AbortController): Promise<void> {
  void world.interrupted.then(() => stop.abort());
  for await (const text of pieces) {
    const isWritten = await new Promise<boolean>((resolve) =>
      world.stdout.write(world.stdout.isTTY ? terminalSafe(text) : text, (error) => resolve(!error)),
    );
    if (!isWritten || world.hasLostReader) stop.abort();
  }
}
