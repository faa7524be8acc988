import type { Readable, Writable } from 'node:stream';

/** A stream that can be a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
export type Input = Readable & { readonly isTTY?: boolean };

/** A running pager. */
export interface Pager {
  readonly input: Writable;
  /** Resolves when the pager has ended; with false if it could not be started. */
  readonly ended: Promise<boolean>;
}

/** All external dependencies of the program. Tests replace it. */
export interface World {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Undefined if the user has none. */
  readonly homeDirectory: string | undefined;
  /** Real time, in epoch milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Returns a signal that is aborted after this time. */
  readonly deadline: (milliseconds: number) => AbortSignal;
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number;
  /** Starts a pager by a shell command. Until it ends, interrupts only affect the pager. */
  readonly openPager: (command: string) => Pager;
  /** Runs work that blocks the event loop and may never end. An interrupt then ends the process immediately. */
  readonly interruptible: <Value>(work: () => Value) => Promise<Value>;
  /** Resolves when the user asks a long-running command to stop. */
  readonly interrupted: Promise<void>;
  /** Whether the reader of stdout has closed the pipe, as `head` does. If `interrupted` was used, it resolves then too. */
  readonly hasLostReader: boolean;
  /**
   * From now on, the command continues when the reader of stdout closes the pipe, and `interrupted` does not resolve for that.
   */
  readonly outliveReader: () => void;
  /**
   * Lets the process collect garbage more often. V8 would enlarge its generations until they hold a hundred MiB: an export of half a
   * million rows as Parquet needs 170 MiB with it and 250 without.
   */
  readonly saveMemory: () => void;
  /** Undoes the effect of `interrupted`: from now on, a signal to stop ends the program immediately. */
  readonly endAtNextSignal: () => void;
  /**
   * Aborted when the program that called the command no longer wants its result: requests end, and no other is sent. Only for
   * commands that another program called.
   */
  readonly cancelled?: AbortSignal;
  /** Called as the work goes on, with what it does if it says so. Only for commands that another program called. */
  readonly onProgress?: (text: string | undefined) => void;
  /** Calls a function for each signal to stop. From then on, these signals do not end the program. */
  readonly onStopSignal: (listener: (signal: NodeJS.Signals) => void) => void;
}

/** Whether there is a person who can be asked. */
export function canAsk({ stdin, stderr }: Pick<World, 'stdin' | 'stderr'>): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}
