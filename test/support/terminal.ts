import { type ChildProcess, spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';
import { program } from './processes.ts';

/** A word as the shell reads it. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

const own = [process.execPath, program].map(quoted).join(' ');

/** The program in a real terminal, as the system's `script` makes one. It ends with the test at the latest. */
export class Terminal {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #output = '';
  #seen = 0;
  #told: () => void = () => {};

  /** @param command the arguments of the program, or a line for the shell, in which `msgctl` is the program */
  constructor(command: readonly string[] | string, env: Record<string, string>, columns = 80) {
    const line = typeof command === 'string' ? `msgctl() { ${own} "$@"; }; ${command}` : `exec ${own} ${command.map(quoted).join(' ')}`;
    this.#child = spawn('script', ['-qefc', `stty cols ${columns} rows 24; ${line}`, '/dev/null'], {
      env: { PATH: process.env.PATH, TERM: 'xterm', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#output += chunk.toString();
      this.#told();
    });
    this.#ended = new Promise((resolve) => this.#child.on('close', resolve));
    void this.#ended.then(() => this.#told());
    onTestFinished(() => void this.#child.kill('SIGKILL'));
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
