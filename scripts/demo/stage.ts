import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { wrapped } from '../../src/cli/output/wrap.ts';
import type { Server } from './servers.ts';

/** A command, or what else happens meanwhile: a file that is written, a server that starts. */
export type Step = string | Command | ((stage: Stage) => void | Promise<void>);

export interface Command {
  /** As one types it. `{name}` stands for a value of the stage. */
  readonly run: string;
  /** The exit code; 0 by default. */
  readonly exits?: number;
  /** The command runs, and nothing is printed. */
  readonly isHidden?: boolean;
  /** Puts values of the answer, which is JSON or the rows of a TSV, on the stage. */
  readonly keep?: (stdout: string) => Record<string, string>;
}

/** The columns of a usual terminal, in which no word is to be broken. */
const width = 80;

const program = fileURLToPath(new URL('../../bin/msgctl.js', import.meta.url));

/** Where the steps run: a temporary home with an embedded service of its own, and the values that later steps need. */
export class Stage {
  readonly values: Record<string, string> = {};
  private readonly home = mkdtempSync(join(tmpdir(), 'msgctl-demo-'));
  private readonly servers: Server[] = [];

  /** @param isHidden nothing is printed, because the steps only prepare others */
  async run(steps: readonly Step[], isHidden = false): Promise<void> {
    for (const step of steps) {
      if (typeof step === 'function') await step(this);
      else this.command({ ...(typeof step === 'string' ? { run: step } : step), ...(isHidden && { isHidden }) });
    }
  }

  /** Ends what runs, and removes the home. */
  close(): void {
    for (const { close } of this.servers) close();
    rmSync(this.home, { recursive: true, force: true });
  }

  /** Keeps the address of a server that ends with the stage. */
  async serve(name: string, server: Promise<Server>): Promise<void> {
    const started = await server;
    this.servers.push(started);
    this.values[name] = started.url;
  }

  /** The receiver on the stage answers with another status from now on. */
  async receiverAnswers(status: number): Promise<void> {
    await fetch(`${this.values.receiver}/${status}`, { method: 'PUT' });
  }

  write(file: string, content: string | Uint8Array): void {
    writeFileSync(join(this.home, file), content);
  }

  append(file: string, text: string): void {
    appendFileSync(join(this.home, file), text);
  }

  private command({ run, exits = 0, isHidden = false, keep }: Command): void {
    const line = run.replaceAll(/\{(\w+)\}/g, (whole, name: string) => this.values[name] ?? whole);
    const [variables, words] = parsed(line);
    const shown = Object.values(variables).reduce((text, value) => text.replace(value, '…'), line);
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
      encoding: 'utf8',
      cwd: this.home,
      env: { PATH: process.env.PATH, HOME: this.home, MSGCTL_PROFILE: 'sandbox', ...variables },
    });
    if (!isHidden) process.stdout.write(`${typed(shown)}\n${wrapped(stdout + stderr, width)}${exits === 0 ? '' : `(exit ${exits})\n`}`);
    if (status !== exits) throw new Error(`'${shown}' exited with ${status} instead of ${exits}\n${stderr}`);
    if (keep) Object.assign(this.values, keep(stdout));
  }
}

/** The variables and the arguments of a command line such as `NAME=value msgctl tags list --query 'tags[].id'`. */
function parsed(line: string): [Record<string, string>, string[]] {
  const words = (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''));
  const start = words.indexOf('msgctl');
  const variables = words.slice(0, start).map((word) => word.split('=', 2) as [string, string]);
  return [Object.fromEntries(variables), words.slice(start + 1)];
}

/** A command line as one types it, continued on further lines where it is longer than a line. */
function typed(line: string): string {
  if (line.length + 2 <= width) return `$ ${line}`;
  const lines = ['$'];
  for (const word of line.match(/(?:'[^']*'|[^\s'])+/g) ?? []) {
    const last = lines.at(-1) ?? '';
    if (last.length + word.length < width - 2) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`    ${word}`);
  }
  return lines.join(' \\\n');
}

/** A step that writes a file into the folder in which the commands run. */
export function file(name: string, content: string | Uint8Array): Step {
  return (stage) => stage.write(name, content);
}
