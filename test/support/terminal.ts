import { type ChildProcess, spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';
import { program } from './processes.ts';

/** Quotes a word for the shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

const own = [process.execPath, program].map(quoted).join(' ');

/** The program in a real terminal, created with the system's `script` command. It ends no later than the test. */
export class Terminal {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #output = '';
  #seen = 0;
  #told: () => void = () => {};

  /** @param command the arguments of the program, or a shell command line in which `msgctl` is the program */
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
    // A key can be pressed while the program ends.
    this.#child.stdin?.on('error', () => {});
    this.#ended = new Promise((resolve) => this.#child.on('close', resolve));
    void this.#ended.then(() => this.#told());
    onTestFinished(() => void this.#child.kill('SIGKILL'));
  }

  /** The complete output, including control sequences. */
  get raw(): string {
    return this.#output;
  }

  /** The complete output as plain text. */
  get text(): string {
    return stripVTControlCharacters(this.#output).replaceAll('\r\n', '\n');
  }

  /** Waits for a text in the output after the last text that was waited for. */
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

  /** Waits until the program ends. Returns the exit code. */
  async end(): Promise<number | null> {
    return await this.#ended;
  }
}

/** The characters that keys send. */
export const keys = { enter: '\r', interrupt: '\u0003' } as const;
