import { type ChildProcess, spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

const program = new URL('../../bin/msgctl.js', import.meta.url).pathname;

/** The program in a real terminal, as the system's `script` makes one. */
export class Terminal {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #output = '';
  #seen = 0;
  #told: () => void = () => {};

  constructor(argv: readonly string[], env: Record<string, string>, columns = 80) {
    const quoted = [process.execPath, program, ...argv].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
    this.#child = spawn('script', ['-qefc', `stty cols ${columns} rows 24; exec ${quoted}`, '/dev/null'], {
      env: { PATH: process.env.PATH, TERM: 'xterm', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#output += chunk.toString();
      this.#told();
    });
    this.#ended = new Promise((resolve) => this.#child.on('close', resolve));
    void this.#ended.then(() => this.#told());
  }

  /** All that was printed, with its control sequences. */
  get raw(): string {
    return this.#output;
  }

  /** All that was printed, as text. */
  get text(): string {
    return stripVTControlCharacters(this.#output).replaceAll('\r\n', '\n');
  }

  /** Waits until something is printed, after what was waited for before. */
  async waitFor(text: string): Promise<void> {
    for (;;) {
      const at = this.text.indexOf(text, this.#seen);
      if (at >= 0) {
        this.#seen = at + text.length;
        return;
      }
      if (this.#child.exitCode !== null) throw new Error(`It ended without printing '${text}':\n${this.text}`);
      await new Promise<void>((resolve) => (this.#told = resolve));
    }
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** Waits for its end. Returns the exit code. */
  async end(): Promise<number | null> {
    return await this.#ended;
  }
}

/** What keys send. */
export const keys = { enter: '\r', interrupt: '\u0003' } as const;
