import { brotliCompressSync, constants, createBrotliCompress, createGzip, gzipSync } from 'node:zlib';
import { type Encoding, preferredEncoding } from './accepted-encoding.ts';
import { sizeOf } from './answers.ts';
import type { ApiResponse } from './request.ts';

/** A response as it is written: its text, or its compressed bytes. */
export interface SentAnswer extends Pick<ApiResponse, 'status' | 'headers'> {
  readonly body: readonly (string | Uint8Array)[];
}

/** Smaller answers are sent as they are: they fit into a few packets. In bytes. */
const smallestSize = 4 * 1024;

/** Answers up to this size are compressed in a fifth of a millisecond, larger ones in other threads. In bytes. */
const quickSize = 32 * 1024;

/** The fastest levels: higher ones make answers a tenth smaller, and take several times as long. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT } };
const gzipOptions = { level: 1 };

/**
 * Compresses a large answer if the client takes that.
 * @param accepted the header Accept-Encoding
 */
export function compressed(answer: ApiResponse, method: string, accepted = ''): SentAnswer | Promise<SentAnswer> {
  const size = sizeOf(answer);
  if (size <= smallestSize || !answer.headers['content-type']?.startsWith('application/json')) return answer;
  answer.headers.vary = 'Accept-Encoding';
  const encoding = method === 'HEAD' ? undefined : preferredEncoding(accepted);
  if (encoding === undefined) return answer;
  answer.headers['content-encoding'] = encoding;
  if (size > quickSize) return compressedInThreads(answer, encoding);
  const text = answer.body.join('');
  return { ...answer, body: [encoding === 'br' ? brotliCompressSync(text, brotliOptions) : gzipSync(text, gzipOptions)] };
}

/** Compresses an answer piece by piece, so that others get a thread in between. */
async function compressedInThreads(answer: ApiResponse, encoding: Encoding): Promise<SentAnswer> {
  const stream = encoding === 'br' ? createBrotliCompress(brotliOptions) : createGzip(gzipOptions);
  const packed: Uint8Array[] = [];
  stream.on('data', (chunk: Uint8Array) => packed.push(chunk));
  for (const piece of answer.body) await new Promise((resolve) => stream.write(piece, resolve));
  await new Promise<void>((resolve, reject) => stream.on('end', resolve).on('error', reject).end());
  return { ...answer, body: packed };
}
