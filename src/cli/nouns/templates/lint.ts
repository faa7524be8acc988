import { readFile } from 'node:fs/promises';
import { describeReadError } from '../../../contract/file-errors.ts';
import type { Session } from '../../verb/noun.ts';
import { exitCodes } from '../../errors.ts';
import { textOf } from '../../files/read.ts';
import { counted } from '../../../contract/text/counted.ts';
import { type Result, type ResultRow, wholeList } from '../../output/result.ts';
import { messageLine } from '../../output/cell.ts';
import { checkTemplate, type Problem } from './lint/check.ts';
import { readTemplates } from './lint/document.ts';

/** A problem in a file. It has no position if the file cannot be read. */
type FileProblem = (Problem | { readonly line: null; readonly column: null; readonly field: null; readonly problem: string }) & {
  readonly file: string;
};

/** Checks template files. The exit code is 1 if there are problems or a file cannot be read. */
export async function lint(session: Session, files: readonly string[]): Promise<Result> {
  const problems: FileProblem[] = [];
  let templates = 0;
  for (const name of files) {
    const file = name === '-' ? '<stdin>' : name;
    const text = name === '-' ? await session.readStdin() : await readText(name);
    if (typeof text !== 'string') {
      problems.push({ file, line: null, column: null, field: null, problem: `cannot be read: ${text.reason}` });
      continue;
    }
    const read = readTemplates(text);
    const found = [...read.flaws.map((flaw) => ({ ...flaw, field: null })), ...read.templates.flatMap(checkTemplate)];
    templates += read.templates.length;
    problems.push(...found.map((problem) => ({ file, ...problem })));
  }
  const isClean = problems.length === 0;
  return {
    ...wholeList('problems', problems),
    totals: () => ({ templates }),
    closing: () =>
      `${isClean ? 'No problems' : counted(problems.length, 'problem')} in ${templates === 0 ? counted(files.length, 'file') : counted(templates, 'template')}.`,
    exitCode: isClean ? exitCodes.done : exitCodes.failed,
  };
}

/** The text of a file, or the reason why it cannot be read. */
async function readText(file: string): Promise<string | { readonly reason: string }> {
  try {
    return textOf(await readFile(file), 'it');
  } catch (error) {
    return { reason: describeReadError(error) };
  }
}

/** Problems in the format of compilers: `file:line:column: field: problem`. */
export function problemLines(rows: readonly ResultRow[]): string {
  return (rows as unknown as FileProblem[])
    .map(({ file, line, column, field, problem }) =>
      messageLine(`${file}${line === null ? '' : `:${line}:${column}`}: ${field === null ? '' : `${field}: `}${problem}`),
    )
    .map((each) => `${each}\n`)
    .join('');
}
