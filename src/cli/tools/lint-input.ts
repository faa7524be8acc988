import { parseEvents } from 'js-yaml';
import * as z from 'zod';
import { Positions } from '../../account-as-code/files/positions.ts';
import { schemaOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import { flawOf, problemOf } from '../../contract/issues.ts';
import { CliError, exitCodes } from '../errors.ts';
import { readUserText } from '../files/read.ts';
import type { Options, Session, Verb } from '../verb/noun.ts';

/** A problem in a file. Line and column start at 1. */
interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly field: string;
  readonly problem: string;
}

/** Wraps a verb with `--input`, whose file is checked before anything is sent: problems are named with their places in it. */
export function lintingInput(verb: Verb): Verb {
  return {
    ...verb,
    run: async (session, values, options) => {
      await lintInput(verb, session, options);
      return await verb.run(session, values, options);
    },
  };
}

/** @throws CliError 2 with the file, the line and the column of each problem */
async function lintInput({ endpoint }: Verb, session: Session, { input }: Options): Promise<void> {
  if (typeof input !== 'string' || !endpoint?.body) return;
  const text = input === '-' ? await session.readStdin() : await readUserText(input);
  const shape: Readonly<Record<string, z.core.$ZodType>> = schemaOf(endpoint.body).shape;
  // Fields that are missing can be given by the command line.
  const problems = Object.entries(session.input).flatMap(([field, value]) => problemsIn(shape[field], field, value));
  if (problems.length === 0) return;
  const positions = new Positions(text, parseEvents(text, { maxDepth: limits.bodyLevels }));
  const file = input === '-' ? '<stdin>' : input;
  const placed = problems.map(({ path, ofKey, problem }): Problem => ({
    file,
    ...positions.of(path, ofKey),
    field: path.join('.'),
    problem,
  }));
  placed.sort((one, other) => one.line - other.line || one.column - other.column);
  const lines = placed.map(({ line, column, field, problem }) => `${file}:${line}:${column}: ${field}: ${problem}`);
  throw new CliError(exitCodes.usage, 'usage', lines, { hint: 'Nothing was sent.', details: { problems: placed } });
}

function problemsIn(schema: z.core.$ZodType | undefined, field: string, value: unknown) {
  const issues = schema ? (z.safeParse(schema, value).error?.issues ?? []) : [];
  return issues.map(flawOf).map((issue) => ({
    path: [field, ...issue.path],
    // What is wrong with a schema or a header is where its key is, not its value.
    ofKey: issue.code === 'custom',
    problem: problemOf(issue),
  }));
}
