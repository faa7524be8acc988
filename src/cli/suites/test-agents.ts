import { agentLookup } from '../lookups/agents.ts';
import { counted } from '../../contract/text/counted.ts';
import { exitCodes, usageError } from '../errors.ts';
import { readUserText } from '../files/read.ts';
import { type Result, type ResultRow, wholeList } from '../output/result.ts';
import { screenOf } from '../output/screen.ts';
import { wrappedFor } from '../output/wrap.ts';
import { writeTextFile } from '../files/text-file.ts';
import { junitOf } from '../output/junit.ts';
import { suitesOf } from './junit.ts';
import { failureText } from './report.ts';
import type { CaseResult } from './run-case.ts';
import { runSuites } from './run-suites.ts';
import { saveAnswers } from './save.ts';
import { readSuite, type Suite, suiteName } from './suite.ts';
import type { Options, Session } from '../verb/noun.ts';

/** Reads the words of the command: an agent, if the first is none of the suites, and suites. @throws CliError 2 */
async function readWords(words: readonly string[]): Promise<{ readonly agent: string | null; readonly suites: Suite[] }> {
  const [first = ''] = words;
  const agent = suiteName.test(first) ? null : first;
  const files = agent === null ? words : words.slice(1);
  const other = files.find((file) => !suiteName.test(file));
  if (files.length === 0 || other !== undefined)
    throw usageError(
      other === undefined
        ? 'Give a suite: a file that ends in .yaml, .yml or .json'
        : `${other} is not a suite: it must end in .yaml, .yml or .json`,
      '`msgctl agents test suite.yaml` tests what routing answers, `msgctl agents test Ada suite.yaml` one agent.',
    );
  return { agent, suites: await Promise.all(files.map(async (file) => readSuite(file, await readUserText(file)))) };
}

function rowOf({ tested, isPassed, exchanges, duration }: CaseResult): ResultRow {
  const flaws = exchanges.flatMap((each) => each.flaws);
  return {
    status: isPassed ? 'passed' : 'failed',
    case: tested.name,
    file: tested.file,
    expected: flaws.map(({ expected }) => expected).join('; ') || null,
    got: flaws.map(({ got }) => got).join('; ') || null,
    duration_ms: Math.round(duration),
    messages: exchanges.map(({ text, expect, observed: { text: reply, ...observed }, flaws: own }) => ({
      text,
      expect,
      reply,
      ...observed,
      flaws: own,
    })),
  };
}

/** Runs suites, and says what differs. */
export async function testAgents(session: Session, words: readonly string[], options: Options): Promise<Result> {
  const { world, notes, globals, targets } = session;
  if (options.fromSession !== undefined) {
    const { recordSession } = await import('./record-session.ts');
    return await recordSession(session, options.fromSession as string, words, options);
  }
  const { agent, suites } = await readWords(words);
  if (agent !== null) await session.names.id(agentLookup, agent);
  const repeat = (options.repeat as number | undefined) ?? 1;
  const atLeast = (options.atLeast as number | undefined) ?? repeat;
  if (atLeast > repeat) throw usageError(`--at-least ${atLeast} must not be above --repeat ${repeat}`);
  const run = { agent, usesDraft: () => options.draft === true, repeat, atLeast };
  const { results, lost } = await runSuites(session, await targets.client(), suites, run);
  for (const each of lost) notes.say(`Not in the copy: ${each}`);
  if (options.junit !== undefined) writeTextFile(options.junit as string, junitOf(suitesOf(results)));
  if (options.save === true) {
    const saved = suites.reduce((sum, suite) => sum + saveAnswers(suite, results), 0);
    notes.say(`${counted(saved, 'expectation')} saved.`);
  }
  const models = [...new Set(results.flatMap(({ exchanges }) => exchanges.flatMap(({ observed }) => observed.model ?? [])))];
  const failed = results.filter(({ isPassed }) => !isPassed);
  const summary = `${results.length - failed.length} passed, ${failed.length} failed, answered ${models.length === 0 ? 'without a model' : `by ${models.join(', ')}`}.`;
  const exitCode = failed.length === 0 ? exitCodes.done : exitCodes.failed;
  if (globals.output !== 'table') return { ...wholeList('cases', results.map(rowOf)), totals: () => ({ models }), exitCode };
  const { unicode } = screenOf(world.stdout, world, globals.wide);
  const text = `${failed.map((each) => `${failureText(each, unicode)}\n`).join('')}${summary}\n`;
  return { kind: 'record', answer: { cases: results.map(rowOf), models }, record: {}, text: wrappedFor(world.stdout, text), exitCode };
}
