import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';

/** The body of an answer without its compression. In a module of its own, because most commands load faster without zlib. */
export function unpacked(body: Readable, encoding: string): Readable {
  if (encoding !== 'br' && encoding !== 'gzip') return body;
  const stream = encoding === 'br' ? createBrotliDecompress() : createGunzip();
  // `pipe` does not forward errors of its source, nor the end of the reader.
  body.on('error', (error) => stream.destroy(error));
  stream.on('close', () => body.destroy());
  return body.pipe(stream);
}
