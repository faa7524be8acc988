import { posix } from 'node:path';

/** A place in a file. Line and column start at 1. */
export interface FilePlace {
  /** Relative to the folder that the user passed. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** An error in a file. */
export interface Problem extends FilePlace {
  readonly problem: string;
}

/** Prefixes the file names of problems with a folder. */
export function inFolder(folder: string, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({ ...problem, file: posix.join(folder, problem.file) }));
}

/** Says of problems whose they are: of an account, where several have the same files. */
export function about(whose: string, problems: readonly Problem[]): Problem[] {
  return problems.map((each) => ({ ...each, problem: `for ${whose}: ${each.problem}` }));
}

/** Thrown when the files have errors. */
export class FilesError extends Error {
  readonly problems: readonly Problem[];
  /** The problems as text, one line each. */
  readonly lines: readonly string[];

  constructor(problems: readonly Problem[]) {
    const ordered = inPlaces(problems);
    const lines = ordered.map(({ file, line, column, problem }) => `${file}:${line}:${column}: ${problem}`);
    super(lines.join('\n'));
    this.name = 'FilesError';
    this.problems = ordered;
    this.lines = lines;
  }
}

/** The problems of each file in the order of their places. Files stay in the order of their first problem. */
function inPlaces(problems: readonly Problem[]): Problem[] {
  return [...Map.groupBy(problems, ({ file }) => file).values()].flatMap((own) =>
    own.toSorted((one, other) => one.line - other.line || one.column - other.column),
  );
}

/** A position as it is shown in errors and notes. */
export function placeText({ file, line }: FilePlace): string {
  return `${file}:${line}`;
}
