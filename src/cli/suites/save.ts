import { type Document, isMap } from 'yaml';
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
      const path = ['cases', tested.index];
      if (isLast) document.setIn([...path, 'expect'], wanted);
      else if (isMap(document.getIn([...path, 'messages', index], true))) document.setIn([...path, 'messages', index, 'expect'], wanted);
      else
        document.setIn(
          [...path, 'messages', index],
          document.createNode({ text: tested.messages[index]?.text, expect: expectationOf(observed) }),
        );
    }
  }
  if (saved > 0) writeSuite(file, document);
  return saved;
}

/** Writes a suite: as JSON where the file ends so, else as YAML. */
export function writeSuite(file: string, document: Document): void {
  const isJson = file.toLowerCase().endsWith('.json');
  writeTextFile(file, isJson ? `${JSON.stringify(document.toJS(), null, 2)}\n` : document.toString({ lineWidth: 0 }));
}
