import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import {
  constructFromEvents,
  CORE_SCHEMA,
  defineScalarTag,
  type Event,
  EVENT_ID,
  floatCoreTag,
  intCoreTag,
  NOT_RESOLVED,
  parseEvents,
  YAMLException,
} from 'js-yaml';
import { digits } from '../../contract/text/counted.ts';
import { isDeeper } from '../../contract/json.ts';
import { limits } from '../../contract/limits.ts';
import { once } from '../kinds/schema.ts';
import type { FilePlace, Problem } from '../planner/problems.ts';
import { isFields } from '../values.ts';
import { isInside, isVisibleInside, mostBytes, textOf } from './folder.ts';
import { Positions } from './positions.ts';

/** Maximum number of values in a file after its aliases are expanded. */
const mostValues = 1_000_000;

/** A reference to a value outside the YAML file: a text file (`!file`) or an environment variable (`!env`). */
export class ExternalValue {
  readonly tag: ExternalTag;
  readonly name: string;

  constructor(tag: ExternalTag, name: string) {
    this.tag = tag;
    this.name = name;
  }
}

export const externalTags = ['!file', '!env'] as const;

type ExternalTag = (typeof externalTags)[number];

/** Whole numbers, except that those that JSON would round are not a number. */
const wholeNumber: typeof intCoreTag = {
  ...intCoreTag,
  resolve: (source, ...rest) => {
    const value = intCoreTag.resolve(source, ...rest);
    return typeof value !== 'number' || Number.isSafeInteger(value) || digitsOf(source) === digitsOf(value.toExponential()) ? value : NaN;
  },
};

/** Other numbers, except that those that are too large for JSON are not a number. By default, they would be texts. */
const otherNumber: typeof floatCoreTag = {
  ...floatCoreTag,
  resolve: (source, ...rest) => {
    const value = floatCoreTag.resolve(source, ...rest);
    const isTooLarge = /^[-+]?[\d.]+(e[-+]?\d+)?$/i.test(source) && Math.abs(Number(source)) === Infinity;
    return value === NOT_RESOLVED && isTooLarge ? NaN : value;
  },
};

/** The significant digits of a number. */
function digitsOf(number: string): string {
  return number.replace(/^[-+]?0*|\.|0*$|e.*$/g, '');
}

const schema = once(() =>
  CORE_SCHEMA.withTags(
    wholeNumber,
    otherNumber,
    ...externalTags.map((tag) => defineScalarTag(tag, { resolve: (name) => new ExternalValue(tag, name), identify: () => false })),
  ),
);

/** The field names and list indexes that lead to a value. */
export type Path = readonly PropertyKey[];

/** A parsed YAML file. */
export class YamlFile {
  /** Relative to the folder that the user passed, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** Null for an empty file. */
  readonly value: unknown;
  readonly #events: readonly Event[];
  #positions: Positions | undefined;

  constructor(path: string, text: string, value: unknown, events: readonly Event[]) {
    this.path = path;
    this.text = text;
    this.value = value;
    this.#events = events;
  }

  /**
   * The position of a value or, with `ofKey`, of a field's key. If the path does not exist, the position of the nearest
   * enclosing value.
   */
  placeOf(at: Path, ofKey = false): FilePlace {
    // Positions are only needed for error messages.
    this.#positions ??= new Positions(this.text, this.#events);
    return { file: this.path, ...this.#positions.of(at, ofKey) };
  }
}

/**
 * Reads and parses a YAML file.
 * @param folder the folder of the account, which a symbolic link must not lead out of
 * @param name the path of the file in the folder
 * @param shownAs the path to show in messages
 * @returns the file, or the problem if it cannot be read or is not valid YAML
 */
export function readFile(folder: string, name: string, shownAs: string): { file: YamlFile } | { problem: Problem } {
  const wrong = (problem: string, line = 1, column = 1) => ({ problem: { file: shownAs, line, column, problem } });
  const path = join(folder, name);
  if (existsSync(path) && lstatSync(path).isSymbolicLink()) {
    if (!isInside(folder, path)) return wrong('must be inside the folder, also after following links');
    if (!isVisibleInside(folder, path)) return wrong('must not be hidden in the folder, also after following links');
  }
  const read = textOf(path);
  if ('problem' in read) return wrong(read.problem);
  const { text } = read;
  try {
    const events = parseEvents(text, { maxDepth: limits.bodyLevels });
    const documents = constructFromEvents(events, { source: text, schema: schema() });
    const [value = null] = documents;
    const version = versionIn(text, events);
    if (version) return wrong(`must be YAML 1.2: remove \`${version.directive}\``, version.line);
    if (documents.length > 1) return wrong('must be a single YAML document: move this one into its own file', secondDocument(text, events));
    if (events.some(({ type }) => type === EVENT_ID.ALIAS)) {
      if (isDeeper(value, limits.bodyLevels)) return wrong(tooDeep);
      const { values, characters } = sizeOf(value, new Map());
      if (values > mostValues) return wrong(`must have at most ${digits(mostValues)} values, counting aliases`);
      if (characters > mostBytes) return wrong(`must have at most ${digits(mostBytes)} characters, counting aliases`);
    }
    return { file: new YamlFile(shownAs, text, value, events) };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    return wrong(explained(reason), (mark?.line ?? 0) + 1, (mark?.column ?? 0) + 1);
  }
}

/** The `%YAML` directive of a file if it declares a version other than 1.2, which parses some values differently. */
function versionIn(text: string, [opening]: readonly Event[]): { directive: string; line: number } | undefined {
  if (opening?.type !== EVENT_ID.DOCUMENT) return undefined;
  const version = opening.directives.find(({ kind }) => kind === 'yaml');
  if (version?.kind !== 'yaml' || version.version === '1.2') return undefined;
  const line = text.slice(0, text.search(/^%YAML/m)).split('\n').length;
  return { directive: `%YAML ${version.version}`, line };
}

/** The line where the second document of a file starts. */
function secondDocument(text: string, [opening]: readonly Event[]): number {
  const hasMarker = opening?.type === EVENT_ID.DOCUMENT && opening.explicitStart;
  // A line that starts with `---` or `...` cannot belong to a value.
  const marker = [...text.matchAll(/^(?:---|\.\.\.)(?=\s|$)/gm)][hasMarker ? 1 : 0];
  return text.slice(0, marker?.index).split('\n').length;
}

/** What the sentences of the parser mean, where they do not say it to somebody who wrote the file. */
const explanations: Readonly<Record<string, string>> = {
  'deficient indentation': 'a bracket or a quotation mark is not closed, or the indentation is too small',
  'object-based map does not support complex keys': 'a key must be a text, and cannot be a list or have fields',
  'the stream contains non-printable characters': 'must not have control characters',
  'expected valid JSON character': 'must not have control characters',
  'bad indentation of a mapping entry': 'the indentation does not fit the lines above, or a text with a colon needs quotation marks',
  'bad indentation of a sequence entry': 'the indentation does not fit the items above',
  'missed comma between flow collection entries': 'a comma or a closing bracket is missing',
  'end of the stream or a document separator is expected': 'the line does not belong to the value above it: check its indentation',
  'can not read a block mapping entry; a multiline key may not be an implicit key':
    'a line without a colon: is it a key, or part of the text above?',
  "expected ':' after a mapping key": 'a colon is missing after the key',
  'a line break is expected': 'nothing may follow here: start a new line',
  'a whitespace character is expected after the key-value separator within a block mapping': 'a space is missing after the colon',
  'alias node should not have any properties': 'an alias (*name) cannot have a tag or an anchor',
  'can not read a document': 'the line is not YAML',
  'duplicated mapping key': 'the map has this key twice',
  'directives end mark is expected': 'a line `---` is missing after the lines that begin with %',
  'duplication of a tag property': 'a value can have only one tag',
  'duplication of an anchor property': 'a value can have only one anchor (&name)',
  'expected hexadecimal character': 'invalid escape: \\x, \\u and \\U take hexadecimal digits',
  "expected the node content, but found ','": 'a value is missing before the comma',
  'repeat of a chomping mode identifier': 'only one + or - may follow | or >',
  'repeat of an indentation width identifier': 'only one digit may follow | or >',
  'tab characters must not be used in indentation': 'lines must be indented with spaces, not tabs',
  'unknown escape sequence': 'unknown escape: write \\\\ for a backslash, or use single quotation marks',
};

/** Replaces the terms of the parser by what is wrong in the file. */
function explained(reason: string): string {
  if (reason.startsWith('nesting exceeded')) return tooDeep;
  const known = explanations[reason];
  if (known !== undefined) return known;
  if (/^unexpected end of the (stream|document) within/.test(reason)) return explanations['deficient indentation'] ?? reason;
  const [, alias] = /^unidentified alias "(.*)"$/.exec(reason) ?? [];
  if (alias !== undefined) return `there is no anchor &${alias} above *${alias}`;
  const [, tag] = /^unknown \w+ tag !<(.*)>$/.exec(reason) ?? [];
  if (tag !== undefined)
    return (externalTags as readonly string[]).includes(tag)
      ? `${tag} takes a string`
      : `unknown tag ${tag}; expected ${externalTags.join(' or ')}`;
  return explanationsByTerm.find(([term]) => term.test(reason))?.[1] ?? 'the line is not YAML';
}

const explanationsByTerm: readonly (readonly [RegExp, string])[] = [
  [/^name of an (alias|anchor) node/, 'a name is missing after & or *: a text that begins with them needs quotation marks'],
  [/^bad explicit indentation width/, 'only a digit from 1 to 9 may follow | or >'],
  [/directive|TAG|YAML version|tag prefix/, 'a line that begins with % must be `%YAML 1.2`'],
  [/\btag\b/, `the tag is unknown, or does not fit the value; expected ${externalTags.join(' or ')}`],
];

const tooDeep = `must have at most ${limits.bodyLevels} levels`;

interface Size {
  readonly values: number;
  readonly characters: number;
}

/**
 * Counts nested values and the characters in them; an aliased value counts once per use.
 * @param counted the sizes of values that were already visited
 */
function sizeOf(value: unknown, counted: Map<object, Size>): Size {
  if (typeof value !== 'object' || value === null) return { values: 1, characters: typeof value === 'string' ? value.length : 0 };
  const known = counted.get(value);
  if (known) return known;
  let [values, characters] = [1, 0];
  for (const [name, inner] of Object.entries(value)) {
    const size = sizeOf(inner, counted);
    values += size.values;
    characters += (Array.isArray(value) ? 0 : name.length) + size.characters;
  }
  counted.set(value, { values, characters });
  return { values, characters };
}

/** Whether a value is a YAML map. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return isFields(value) && !(value instanceof ExternalValue);
}

/**
 * A copy of a value in which `replace` has replaced each string, each number and each reference to an outside value.
 * @param at the path of the value
 */
export function replaced(value: unknown, at: Path, replace: (value: string | number | ExternalValue, at: Path) => unknown): unknown {
  if (typeof value === 'string' || typeof value === 'number' || value instanceof ExternalValue) return replace(value, at);
  if (Array.isArray(value)) return value.map((item, index) => replaced(item, [...at, index], replace));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaced(inner, [...at, name], replace)]));
}
