import { posix } from 'node:path';

/** A place in a file. Line and column start at 1. */
export interface Place {
  /** Relative to the folder that was named. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What is wrong in a file. */
export interface Problem extends Place {
  readonly problem: string;
}

/** What is wrong in a folder, as the one that it stands in names the files. */
export function inFolder(folder: string, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({ ...problem, file: posix.join(folder, problem.file) }));
}

/** Files that cannot be used. */
export class FilesError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const lines = problems.map(({ file, line, column, problem }) => `${file}:${line}:${column}: ${problem}`);
    super(lines.join('\n'));
    this.name = 'FilesError';
    this.problems = problems;
  }
}

/** The place as errors and notes name it. */
export function placeText({ file, line }: Place): string {
  return `${file}:${line}`;
}
