import { constructFromEvents, CORE_SCHEMA, defineScalarTag, type Event, EVENT_ID, parseEvents, YAMLException } from 'js-yaml';
import { isDeeper } from '../../contract/json.ts';
import { limits } from '../../contract/limits.ts';
import { once } from '../schema.ts';
import type { Place, Problem } from './problems.ts';
import { isFields } from '../values.ts';
import { textOf } from './folder.ts';
import { Positions } from './positions.ts';

/** The most values of a file, where aliases repeat them. */
const mostValues = 1_000_000;

/** A value that stands elsewhere: a text of the folder or a value of the environment. */
export class Elsewhere {
  readonly tag: ElsewhereTag;
  readonly name: string;

  constructor(tag: ElsewhereTag, name: string) {
    this.tag = tag;
    this.name = name;
  }
}

export const elsewhereTags = ['!file', '!env'] as const;

type ElsewhereTag = (typeof elsewhereTags)[number];

const schema = once(() =>
  CORE_SCHEMA.withTags(
    ...elsewhereTags.map((tag) => defineScalarTag(tag, { resolve: (name) => new Elsewhere(tag, name), identify: () => false })),
  ),
);

/** The names and numbers on the way to a value. */
export type Path = readonly PropertyKey[];

/** A file in YAML. */
export class YamlFile {
  /** Relative to the folder that was named, with forward slashes. */
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

  /** The place of a value, or with `ofKey` of the name of a field; of the nearest one around it, when the path leads further. */
  placeOf(at: Path, ofKey = false): Place {
    // Only mistakes need places.
    this.#positions ??= new Positions(this.text, this.#events);
    return { file: this.path, ...this.#positions.of(at, ofKey) };
  }
}

/**
 * Reads a file.
 * @param shownAs its path in messages
 * @returns what is wrong instead, when it cannot be read or is no YAML
 */
export function readFile(path: string, shownAs: string): { file: YamlFile } | { problem: Problem } {
  const wrong = (problem: string, line = 1, column = 1) => ({ problem: { file: shownAs, line, column, problem } });
  const read = textOf(path);
  if ('problem' in read) return wrong(read.problem);
  const { text } = read;
  try {
    const events = parseEvents(text, { maxDepth: limits.bodyLevels });
    const documents = constructFromEvents(events, { source: text, schema: schema() });
    const [value = null] = documents;
    const version = versionIn(text, events);
    if (version) return wrong(`must be YAML 1.2, so leave out \`${version.directive}\``, version.line);
    if (documents.length > 1) return wrong('must be one document, without ---');
    if (events.some(({ type }) => type === EVENT_ID.ALIAS)) {
      if (isDeeper(value, limits.bodyLevels)) return wrong(tooDeep);
      if (valuesIn(value, new Map()) > mostValues)
        return wrong(`must have at most ${mostValues.toLocaleString('en-US')} values, aliases included`);
    }
    return { file: new YamlFile(shownAs, text, value, events) };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    return wrong(reason.startsWith('nesting exceeded') ? tooDeep : reason, (mark?.line ?? 0) + 1, (mark?.column ?? 0) + 1);
  }
}

/** Where a file says that it is of another version of YAML, whose values are read in other ways. */
function versionIn(text: string, [opening]: readonly Event[]): { directive: string; line: number } | undefined {
  if (opening?.type !== EVENT_ID.DOCUMENT) return undefined;
  const version = opening.directives.find(({ kind }) => kind === 'yaml');
  if (version?.kind !== 'yaml' || version.version === '1.2') return undefined;
  const line = text.slice(0, text.search(/^%YAML/m)).split('\n').length;
  return { directive: `%YAML ${version.version}`, line };
}

const tooDeep = `must have at most ${limits.bodyLevels} levels`;

/** How many values a value has, when what aliases share counts each time. @param counted the sums of those that are known */
function valuesIn(value: unknown, counted: Map<object, number>): number {
  if (typeof value !== 'object' || value === null) return 1;
  let sum = counted.get(value);
  if (sum === undefined)
    counted.set(value, (sum = Object.values(value).reduce<number>((count, inner) => count + valuesIn(inner, counted), 1)));
  return sum;
}

/** Whether a value is a map of the file. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return isFields(value) && !(value instanceof Elsewhere);
}

/** A copy of a value in which texts and what stands elsewhere are replaced. @param at the path of the value */
export function replaced(value: unknown, at: Path, replace: (value: string | Elsewhere, at: Path) => unknown): unknown {
  if (typeof value === 'string' || value instanceof Elsewhere) return replace(value, at);
  if (Array.isArray(value)) return value.map((item, index) => replaced(item, [...at, index], replace));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaced(inner, [...at, name], replace)]));
}
