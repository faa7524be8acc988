import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { run } from '../../src/cli/main.ts';
import type { World } from '../../src/cli/world.ts';
import { copyEmptyStore } from './empty-store.ts';

/** The result of running the program. */
interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout as JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects by asserting it
  readonly json: any;
}

/** A home directory in which the program can be run in process. */
export class Home {
  readonly path: string;
  env: Record<string, string> = {};
  now = Date.parse('2027-03-01T12:00:00.000Z');
  waits: number[] = [];
  /** Called while a command sleeps. */
  onSleep: () => Promise<void> = async () => {};
  /** The height of the terminal for `runOnTerminal`; by default, unknown. */
  rows: number | undefined;
  /** Whether the embedded service finds an empty store on first use, which takes less time than making one. */
  hasStore = true;
  /** Starts a pager; by default, none is available. */
  openPager: World['openPager'] = () => ({ input: new PassThrough(), ended: Promise.resolve(false) });
  /** Return what the current run has printed. */
  stdoutSoFar: () => string = () => '';
  stderrSoFar: () => string = () => '';
  /** The stdin of the next run. */
  stdin: string | Uint8Array = '';
  /** Whether stdin stays open in the next run, for `input`. */
  keepsStdinOpen = false;
  /** The stdin and stdout of the current run. */
  input = new PassThrough();
  output = new PassThrough();
  /** Interrupts the current run, like Ctrl-C. */
  interrupt: () => void = () => {};
  /** Whether the next signal ends the current run immediately, or would have ended the last one. */
  endsAtNextSignal = false;
  /** Triggers the deadlines of the current run that are at most this long; deadlines never expire otherwise. */
  expire: (milliseconds: number) => void = () => {};
  /** Changes the terminal size of the current run. */
  resize: (columns: number, rows: number) => void = () => {};

  constructor(path = mkdtempSync(join(tmpdir(), 'msgctl-home-'))) {
    this.path = path;
  }

  /** Runs a command line, given as separate words. */
  async run(...argv: string[]): Promise<Ran> {
    return await this.runWith({}, ...argv);
  }

  /** Runs a command line on streams that simulate a terminal of the given width. */
  async runOnTerminal(columns: number, ...argv: string[]): Promise<Ran> {
    return await this.runWith({ columns }, ...argv);
  }

  /** Runs a command line on streams that simulate a terminal window of the given size. */
  async runInWindow(window: { readonly columns: number; readonly rows: number }, ...argv: string[]): Promise<Ran> {
    return await this.runWith(window, ...argv);
  }

  /** Runs a command line with the profile of the embedded service. */
  async sandbox(...argv: string[]): Promise<Ran> {
    return await this.run(...argv, '--profile', 'sandbox');
  }

  /** Puts an empty store where a run with the profile of the embedded service would make one. */
  private async prepareStore(argv: readonly string[]): Promise<void> {
    const directory = this.env.MSGCTL_DATA_DIR ?? join(this.path, '.local/share/msgctl');
    const isUsed = this.env.MSGCTL_PROFILE === 'sandbox' || argv.join(' ').includes('--profile sandbox');
    if (!this.hasStore || !isUsed || !directory.startsWith(this.path) || existsSync(directory)) return;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    await copyEmptyStore(join(directory, 'msgctl.db'));
  }

  private async runWith(size: { columns?: number; rows?: number }, ...argv: string[]): Promise<Ran> {
    const window = this.rows === undefined || size.columns === undefined ? size : { rows: this.rows, ...size };
    const stdout = collect(window);
    const stderr = collect(window);
    this.resize = (columns, rows) => {
      Object.assign(stdout.stream, { columns, rows });
      stdout.stream.emit('resize');
    };
    const deadlines = new Map<AbortController, number>();
    this.expire = (milliseconds) => {
      for (const [deadline, time] of deadlines) if (time <= milliseconds) deadline.abort();
    };
    this.endsAtNextSignal = false;
    const interrupted = new Promise<void>((resolve) => (this.interrupt = resolve));
    this.stdoutSoFar = stdout.text;
    this.stderrSoFar = stderr.text;
    const stdin = Object.assign(new PassThrough(), { isTTY: false });
    if (!this.keepsStdinOpen) stdin.end(this.stdin);
    this.stdin = '';
    this.input = stdin;
    this.output = stdout.stream;
    const world: World = {
      stdin,
      stdout: stdout.stream,
      stderr: stderr.stream,
      env: this.env,
      platform: 'linux',
      homeDirectory: this.path,
      now: () => this.now,
      sleep: async (milliseconds) => {
        this.waits.push(milliseconds);
        await this.onSleep();
      },
      deadline: (milliseconds) => {
        const deadline = new AbortController();
        deadlines.set(deadline, milliseconds);
        return deadline.signal;
      },
      random: () => 0.5,
      interrupted,
      hasLostReader: false,
      outliveReader: () => {},
      saveMemory: () => {},
      endAtNextSignal: () => (this.endsAtNextSignal = true),
      onStopSignal: () => {},
      openPager: (command) => this.openPager(command),
      interruptible: async (work) => work(),
    };
    await this.prepareStore(argv);
    const code = await run(argv, world);
    const text = stdout.text();
    return {
      code,
      stdout: text,
      stderr: stderr.text(),
      get json() {
        return JSON.parse(text) as unknown;
      },
    };
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** What the spinner calls on a terminal, when a command takes long. */
const cursor = { cursorTo: () => true, clearLine: () => true, moveCursor: () => true };

function collect(window: { columns?: number; rows?: number }) {
  const stream = Object.assign(new PassThrough(), window.columns === undefined ? {} : { isTTY: true, ...cursor, ...window });
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString() };
}
