import { describe, expect, it } from 'vitest';
import { placeValues } from '../../../src/cli/argv/arguments.ts';
import type { Argument } from '../../../src/cli/verb/verb-options.ts';

const argument = (name: string, more: Partial<Argument> = {}): Argument => ({
  name,
  usage: `<${name}>`,
  summary: '',
  completes: undefined,
  choices: undefined,
  fills: [],
  isOptional: false,
  isRepeated: false,
  isInBody: false,
  ...more,
});

const inBody = { isInBody: true };
const place = (args: Argument[], given: string[], options = {}) => placeValues(args, given, options, 'things do');

describe('the words of a command line', () => {
  it('fill the arguments in order', () => {
    expect(place([argument('id'), argument('name', inBody)], ['1', 'x'])).toEqual(['1', 'x']);
    expect(place([argument('id'), argument('ids', { ...inBody, isRepeated: true })], ['1', 'a', 'b'])).toEqual(['1', 'a', 'b']);
  });

  it('skip an argument that an option gives', () => {
    const args = [argument('new-name', inBody), argument('account', { isOptional: true })];
    expect(place(args, ['acc_1'], { newName: 'x' })).toEqual(['x', 'acc_1']);
  });

  it('may omit an argument that --input gives or that is optional', () => {
    expect(place([argument('name', inBody)], [], { input: '-' })).toEqual([undefined]);
    expect(place([argument('body', { ...inBody, isOptional: true })], [])).toEqual([undefined]);
  });

  it('go to required arguments first', () => {
    const args = [argument('method', { isOptional: true }), argument('path')];
    expect(place(args, ['/tags'])).toEqual([undefined, '/tags']);
    expect(place(args, ['GET', '/tags'])).toEqual(['GET', '/tags']);
    expect(() => place(args, [])).toThrow("Missing required argument 'path'");
    const body = argument('body', { ...inBody, isOptional: true, isNeeded: true });
    expect(place([argument('contact', { isOptional: true }), body], [], { body: 'x' })).toEqual([undefined, 'x']);
    expect(() => place([argument('contact', { isOptional: true }), body], ['con_1'])).toThrow("Missing required argument 'body'");
  });

  it('and options that are missing are named together', () => {
    const specs = ['--events <names>', '--at <when>', '--note <text>'].map((flags) => ({
      flags,
      summary: '',
      isRequired: flags !== '--note <text>',
    }));
    const missing =
      (args: Argument[], given: string[], options = {}) =>
      () =>
        placeValues(args, given, options, 'things do', specs);
    expect(missing([argument('url'), argument('name'), argument('zone')], [])).toThrow(
      "Missing required arguments 'url', 'name' and 'zone' and options '--events <names>' and '--at <when>'",
    );
    expect(missing([argument('url')], [], { at: 'x' })).toThrow("Missing required argument 'url' and option '--events <names>'");
    expect(missing([argument('url')], ['x'])).toThrow("Missing required options '--events <names>' and '--at <when>'");
  });

  it('are an error when one is missing or too many', () => {
    expect(() => place([argument('name', inBody)], [])).toThrow("Missing required argument 'name'");
    expect(() => place([argument('ids', { ...inBody, isRepeated: true })], [])).toThrow("Missing required argument 'ids'");
    expect(() => place([argument('name', inBody)], ['a'], { name: 'b' })).toThrow('Two values are given for the name');
  });
});
