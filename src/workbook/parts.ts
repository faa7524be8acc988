import type { Entry, ZipFile } from 'yauzl';
import { WorkbookError } from './error.ts';

/** The size limit of a workbook, in bytes: it is held in memory, because its parts are not in the order in which they are needed. */
const packedBytes = 128 * 1024 * 1024;

/** How much of a workbook is unpacked at most, in bytes. A small archive can unpack to any size. */
const unpackedBytes = 2 * 1024 * 1024 * 1024;

/** The size limit of a part that is held in memory, in bytes: of all but the rows. */
const heldBytes = 256 * 1024 * 1024;

/** The parts of a workbook, which is a ZIP archive of XML. */
export class Parts {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  /** How many bytes the parts have that were read so far. */
  #unpacked = 0;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
  }

  /** @throws WorkbookError when the bytes are not an archive, or too many */
  static async open(chunks: AsyncIterable<Buffer>): Promise<Parts> {
    const { default: yauzl } = await import('yauzl');
    const bytes = await collect(chunks);
    try {
      const zip = await yauzl.fromBufferPromise(bytes, { lazyEntries: true, autoClose: false });
      const entries = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
      return new Parts(zip, entries);
    } catch (error) {
      throw workbookError(error);
    }
  }

  /** The size of a part, unpacked, as the archive declares it. */
  sizeOf(name: string): number {
    return this.#entries.get(name)?.uncompressedSize ?? 0;
  }

  /**
   * The text of a part, piece by piece; nothing when the workbook does not have it. Sizes are checked before anything is
   * unpacked: the library sees to it that a part unpacks to no more than the archive declares.
   * @param isHeld whether what it contains is held in memory
   * @throws WorkbookError when it unpacks to too much, an error of the library when it is damaged
   */
  async *text(name: string, { isHeld }: { isHeld: boolean }): AsyncGenerator<string> {
    const entry = this.#entries.get(name);
    if (!entry) return;
    this.#unpacked += entry.uncompressedSize;
    if (isHeld && entry.uncompressedSize > heldBytes) throw tooLargeError(name, heldBytes);
    if (this.#unpacked > unpackedBytes) throw tooLargeError('it', unpackedBytes);
    const stream = await this.#zip.openReadStreamPromise(entry);
    const decoder = new TextDecoder('utf-8', { fatal: true });
    for await (const chunk of stream as AsyncIterable<Buffer>) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  }
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > packedBytes)
      throw new WorkbookError(`The workbook is larger than ${megabytes(packedBytes)}`, 'Save it as CSV, which has no limit.');
    read.push(chunk);
  }
  return Buffer.concat(read);
}

function tooLargeError(what: string, limit: number): WorkbookError {
  return new WorkbookError(
    `The workbook is not read: ${what} unpacks to more than ${megabytes(limit)}`,
    'Save it as CSV, which has no limit.',
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toLocaleString('en-US')} MiB`;
}

/** The error of a library as one of the workbook. */
export function workbookError(error: unknown): WorkbookError {
  if (error instanceof WorkbookError) return error;
  return new WorkbookError(`The file is not a valid Excel workbook: ${(error as Error).message}`);
}
