import type { Readable, Writable } from 'node:stream';

/** A stream that may be a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
export type Input = Readable & { readonly isTTY?: boolean };

/** A program that shows text on the terminal. */
export interface Pager {
  readonly input: Writable;
  /** Resolves when it has ended; with false when it could not be started. */
  readonly ended: Promise<boolean>;
}

/** Everything outside the program that it uses. Tests replace it. */
export interface World {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly homeDirectory: string;
  /** Real time, in epoch milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** A signal that is aborted once this time has passed. */
  readonly deadline: (milliseconds: number) => AbortSignal;
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number;
  /** Starts a pager, by a command of the shell. Until it ends, an interrupt is for the pager alone. */
  readonly openPager: (command: string) => Pager;
  /** Runs work that keeps the process busy and may never end. Meanwhile, an interrupt ends the process at once. */
  readonly interruptible: <Value>(work: () => Value) => Promise<Value>;
  /** Resolves when the user asks a long-running command to stop. */
  readonly interrupted: Promise<void>;
  /** Whether the reader of stdout, such as `head`, has closed the pipe. `interrupted` resolves then too, if it was asked for. */
  readonly hasLostReader: boolean;
  /** From now on, the command goes on when the reader of stdout closes the pipe, and `interrupted` does not resolve for it. */
  readonly outliveReader: () => void;
  /** Gives up what `interrupted` prevents: from now on, a signal that asks the program to stop ends it at once. */
  readonly endAtNextSignal: () => void;
  /** Calls a function with each signal that asks the program to stop. From then on, these signals do not end it. */
  readonly onStopSignal: (listener: (signal: NodeJS.Signals) => void) => void;
}
