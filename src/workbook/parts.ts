import type { Entry, ZipFile } from 'yauzl';
import { WorkbookError } from './error.ts';
import { NestedElements } from './nesting.ts';

/**
 * The size limit of a workbook, in bytes. It is held in memory, because its parts are not in the order in which they are
 * needed.
 */
const packedBytes = 128 * 1024 * 1024;

/** The limit of the total unpacked size, in bytes. A small archive can unpack to any size. */
const unpackedBytes = 2 * 1024 * 1024 * 1024;

/** The size limit of a part that is held in memory, in bytes. Sheets are streamed instead. */
const heldBytes = 256 * 1024 * 1024;

/** The parts of a workbook, which is a ZIP archive of XML. */
export class Parts {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  /** The total unpacked size of the parts that were read so far, in bytes. */
  #unpacked = 0;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
  }

  /** @throws WorkbookError if the bytes are not a ZIP archive or exceed the limit */
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

  /** The unpacked size of a part, in bytes, as declared in the archive. */
  sizeOf(name: string): number {
    return this.#entries.get(name)?.uncompressedSize ?? 0;
  }

  /**
   * The text of a part in chunks; empty if the workbook does not have the part. The declared size is checked before unpacking,
   * and the library ensures that a part does not unpack to more than that.
   * @param isHeld whether the caller holds the contents in memory
   * @throws WorkbookError if a size limit is exceeded; an error of the library if the part is damaged
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

/** Wraps an error of a library in a WorkbookError. */
export function workbookError(error: unknown): WorkbookError {
  if (error instanceof WorkbookError) return error;
  const reason = error instanceof NestedElements ? error.message : 'it is damaged, cut off, or another kind of file';
  return new WorkbookError(`The file is not a valid Excel workbook: ${reason}`, undefined, { cause: error });
}
