import type { Session } from '../../command/noun.ts';
import { exitCodes } from '../../errors.ts';
import { readUserFile } from '../../files/read.ts';
import { counted } from '../../output/counted.ts';
import { type Result, type Row, wholeList } from '../../output/result.ts';
import { terminalText } from '../../output/cell.ts';
import { checkTemplate, type Problem } from './lint/check.ts';
import { readTemplates } from './lint/document.ts';

/** Checks files of templates. Exits 1 when something is wrong. @throws CliError 1 when a file cannot be read */
export async function lint(session: Session, files: readonly string[]): Promise<Result> {
  const problems: (Problem & { readonly file: string })[] = [];
  let templates = 0;
  for (const file of files) {
    const text = file === '-' ? await session.readStdin() : (await readUserFile(file)).toString();
    const read = readTemplates(text);
    const found = [...read.flaws.map((flaw) => ({ ...flaw, field: null })), ...read.templates.flatMap(checkTemplate)];
    templates += read.templates.length;
    problems.push(...found.map((problem) => ({ file: file === '-' ? '<stdin>' : file, ...problem })));
  }
  const isClean = problems.length === 0;
  return {
    ...wholeList('problems', problems),
    totals: () => ({ templates }),
    closing: () => `${isClean ? 'No problems' : counted(problems.length, 'problem')} in ${counted(templates, 'template')}.`,
    exitCode: isClean ? exitCodes.done : exitCodes.failed,
  };
}

/** The problems as compilers print them: `file:line:column: field: problem`. */
export function problemLines(rows: readonly Row[]): string {
  return (rows as unknown as (Problem & { readonly file: string })[])
    .map(({ file, line, column, field, problem }) =>
      terminalText(`${file}:${line}:${column}: ${field === null ? '' : `${field}: `}${problem}`),
    )
    .map((each) => `${each}\n`)
    .join('');
}
