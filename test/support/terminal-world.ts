import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { run } from '../../src/cli/main.ts';
import type { World } from '../../src/cli/world.ts';

/** What a run of the program left behind. */
interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout as JSON. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test says what it expects by asserting it
  readonly json: any;
}

/** A home of its own, in which the program can be run in process. */
export class Home {
  readonly path = mkdtempSync(join(tmpdir(), 'msgctl-home-'));
  env: Record<string, string> = {};
  now = Date.parse('2027-03-01T12:00:00.000Z');
  waits: number[] = [];
  /** What happens while a command waits. */
  onSleep: () => Promise<void> = async () => {};
  /** The height of the terminal that `runOnTerminal` looks like; unknown by default. */
  rows: number | undefined;
  /** Starts a pager; there is none by default. */
  openPager: World['openPager'] = () => ({ input: new PassThrough(), ended: Promise.resolve(false) });
  /** What the run under way has printed on stderr. */
  stderrSoFar: () => string = () => '';
  /** What the next run reads on stdin. */
  stdin = '';
  /** Interrupts the run in progress, as Ctrl-C does. */
  interrupt: () => void = () => {};
  /** Whether the next signal ends the run in progress, or would have ended the last one, at once. */
  endsAtNextSignal = false;
  /** Lets the deadlines of the run in progress pass that are this short; no others ever do. */
  expire: (milliseconds: number) => void = () => {};
  /** Changes the size of the terminal of the run in progress. */
  resize: (columns: number, rows: number) => void = () => {};

  /** Runs a command line, given as its words. */
  async run(...argv: string[]): Promise<Ran> {
    return await this.runWith({}, ...argv);
  }

  /** Runs a command line on streams that look like a terminal of some width. */
  async runOnTerminal(columns: number, ...argv: string[]): Promise<Ran> {
    return await this.runWith({ columns }, ...argv);
  }

  /** Runs a command line on streams that look like a window of some size. */
  async runInWindow(window: { readonly columns: number; readonly rows: number }, ...argv: string[]): Promise<Ran> {
    return await this.runWith(window, ...argv);
  }

  /** Runs a command line with the embedded service as its profile. */
  async sandbox(...argv: string[]): Promise<Ran> {
    return await this.run(...argv, '--profile', 'sandbox');
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
    this.stderrSoFar = stderr.text;
    const stdin = Object.assign(new PassThrough(), { isTTY: false });
    stdin.end(this.stdin);
    this.stdin = '';
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
      endAtNextSignal: () => (this.endsAtNextSignal = true),
      onStopSignal: () => {},
      openPager: (command) => this.openPager(command),
      interruptible: async (work) => work(),
    };
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

function collect(window: { columns?: number; rows?: number }) {
  const stream = Object.assign(new PassThrough(), window.columns === undefined ? {} : { isTTY: true, ...window });
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString() };
}
