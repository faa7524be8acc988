import { type Document, isScalar, type Scalar, type YAMLMap } from 'yaml';
import { writeTextFile } from '../files/text-file.ts';
import { expectationOf } from './judge.ts';
import type { CaseResult } from './run-case.ts';
import type { Suite } from './suite.ts';

/** Writes what was answered as the expectations of messages that have none. Comments of the file stay. */
export function saveAnswers({ file, document, cases }: Suite, results: readonly CaseResult[]): number {
  let saved = 0;
  for (const tested of cases) {
    const result = results.find((each) => each.tested === tested);
    for (const [index, { expect, observed }] of (result?.exchanges ?? []).entries()) {
      if (Object.keys(expect).length > 0) continue;
      saved++;
      const wanted = document.createNode(expectationOf(observed));
      const isLast = index === tested.messages.length - 1;
      const place = ['cases', tested.index, ...(isLast ? [] : ['messages', index])];
      const message = document.getIn(place, true);
      if (isScalar(message)) document.setIn(place, withText(message, document));
      document.setIn([...place, 'expect'], wanted);
    }
  }
  if (saved > 0) writeSuite(file, document);
  return saved;
}

/** A message as a map, with its text as it was written: its variables and comments stay. */
function withText(text: Scalar, document: Document): YAMLMap {
  const message = document.createNode({}) as YAMLMap;
  message.flow = false;
  message.commentBefore = text.commentBefore;
  text.commentBefore = undefined;
  message.set('text', text);
  return message;
}

/** Writes a suite: as JSON where the file ends so, else as YAML. */
export function writeSuite(file: string, document: Document): void {
  const isJson = file.toLowerCase().endsWith('.json');
  writeTextFile(file, isJson ? `${JSON.stringify(document.toJS(), null, 2)}\n` : document.toString({ lineWidth: 0 }));
}
