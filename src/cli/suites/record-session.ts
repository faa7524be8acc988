import { existsSync } from 'node:fs';
import { Document } from 'yaml';
import { usageError } from '../errors.ts';
import { readUserText } from '../files/read.ts';
import type { Result } from '../output/result.ts';
import { shellWord } from '../output/shell-word.ts';
import type { Options, Session } from '../verb/noun.ts';
import { caseFromSession } from './from-session.ts';
import { writeSuite } from './save.ts';
import { readSuite, suiteName } from './suite.ts';

/** Writes a conversation as a case: to stdout, or with `--save` to the end of a suite, which is made if there is none. */
export async function recordSession(session: Session, id: string, words: readonly string[], options: Options): Promise<Result> {
  const { notes } = session;
  const [file, ...others] = words;
  const unused = ['draft', 'junit', 'repeat', 'atLeast'].some((name) => options[name] !== undefined);
  const isSuite = file !== undefined && suiteName.test(file);
  if (unused || others.length > 0 || isSuite !== (options.save === true) || isSuite !== (file !== undefined))
    throw usageError(
      '--from-session prints a case, or with --save adds it to one suite',
      '`msgctl agents test --from-session ses_1` or `msgctl agents test suite.yaml --from-session ses_1 --save`.',
    );
  const before = file !== undefined && existsSync(file) ? readSuite(file, await readUserText(file)).document : null;
  const recorded = await caseFromSession(session, id);
  const document = before ?? new Document({ cases: [] });
  document.addIn(['cases'], document.createNode(recorded));
  const suite = { cases: [recorded] };
  if (file === undefined) {
    return { kind: 'document', document: suite, text: document.toString({ lineWidth: 0 }) };
  }
  writeSuite(file, document);
  notes.say(`The case '${recorded.name}' is in ${file}. Run it: msgctl agents test ${shellWord(file)}`);
  return { kind: 'record', answer: suite, record: { case: recorded.name, file }, columns: ['case', 'file'] };
}
