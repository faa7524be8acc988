import { expect, it } from 'vitest';
import { parseYaml, yamlText } from '../../../src/cli/output/yaml.ts';

it.each(['    \n', '\n', ' \n \n', '\t\n', '\n  ', '  x\n', '\n  x', 'x\n  ', ''])('YAML output keeps the white space of %j', (text) => {
  const value = [{ text, list: [text] }];
  expect(parseYaml(yamlText(value), 10)).toEqual(value);
});
