import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';

// Code and tests cite the rules of docs/interface as `rule area.number`.
const rules = new Set(
  globSync('docs/interface/*.md').flatMap((file) => {
    const numbers = [...readFileSync(file, 'utf8').matchAll(/^(\d+)\. /gm)].map(([, number]) => number);
    return numbers.map((number) => `${basename(file, '.md')}.${number}`);
  }),
);

const sources = globSync('{src,scripts,test}/**/*.ts').map((file) => ({ file, text: readFileSync(file, 'utf8') }));

it('citations in the code refer to existing rules', () => {
  const cited = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/\brules? ((?:[a-z-]+\.\d+(?:, | and )?)+)/g)].flatMap(([, list = '']) =>
      list.split(/, | and /).map((rule) => ({ file, rule })),
    ),
  );
  expect(cited.length).toBeGreaterThan(40);
  expect(cited.filter(({ rule }) => !rules.has(rule))).toEqual([]);
});

it('sources refer to the rules of the interface by their numbers, and to no other document', () => {
  // `Document 4`, `(ruling …` and `(4/Answers …` are how a specification may be cited.
  const outside = /\bDocument [1-9]\b|\(ruling|\(\d\/[A-Z]/;
  expect(sources.filter(({ file, text }) => !file.endsWith('citations.test.ts') && outside.test(text)).map(({ file }) => file)).toEqual([]);
});
