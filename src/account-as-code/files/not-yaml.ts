import type { ErrorCode, YAMLError } from 'yaml';

/** A text is not YAML, or has YAML that is not read. The message says where, if that is known. */
export class NotYaml extends Error {
  readonly problem: string;
  /** From 1. */
  readonly place: { readonly line: number; readonly column: number } | undefined;

  constructor(problem: string, place?: NotYaml['place']) {
    super(place ? `${problem}, at line ${place.line}, column ${place.column}` : problem);
    this.name = 'NotYaml';
    this.problem = problem;
    this.place = place;
  }
}

const notClosed = 'a bracket or a quotation mark is not closed, or the indentation is too small';

/** What is wrong in the text, by the code of the library: its sentences are about its parser. */
const problems: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias (*name) cannot have a tag or an anchor',
  BAD_ALIAS: 'a name is missing after & or *, or ends in a colon; a text that begins with them needs quotation marks',
  BAD_COLLECTION_TYPE: 'the tag is for another kind of value',
  BAD_DIRECTIVE: 'a line that begins with % must be `%YAML 1.2`',
  BAD_DQ_ESCAPE: 'unknown escape: write \\\\ for a backslash, or use single quotation marks',
  BAD_INDENT: 'the indentation does not fit the lines above',
  BAD_PROP_ORDER: 'a tag or an anchor must stand directly before its value',
  BAD_SCALAR_START: 'a text that begins with this character needs quotation marks',
  BLOCK_AS_IMPLICIT_KEY: 'the indentation does not fit the lines above, or a text with a colon needs quotation marks',
  BLOCK_IN_FLOW: 'lists and objects in brackets need brackets too',
  DUPLICATE_KEY: 'the object has this key twice',
  IMPOSSIBLE: 'the line is not YAML',
  KEY_OVER_1024_CHARS: 'a key has more than 1,024 characters',
  MISSING_CHAR: 'a comma, a colon, a space or a dash is missing',
  MULTILINE_IMPLICIT_KEY: 'a line without a colon: is it a key, or part of the text above?',
  MULTIPLE_ANCHORS: 'a value can have only one anchor (&name)',
  MULTIPLE_DOCS: 'a second YAML document begins: there can be only one',
  MULTIPLE_TAGS: 'a value can have only one tag',
  NON_STRING_KEY: 'a key must be a text, and cannot be a list or have fields',
  RESOURCE_EXHAUSTION: 'it is nested too deeply',
  TAB_AS_INDENT: 'lines must be indented with spaces, not tabs',
  TAG_RESOLVE_FAILED: 'the tag is unknown, or does not fit the value: a text that begins with ! needs quotation marks',
  UNEXPECTED_TOKEN: 'this does not belong here: check the indentation, the commas and the brackets',
};

/** What is wrong in a text that the YAML library refuses. */
export function yamlProblem({ code, message }: YAMLError): string {
  // oxlint-disable-next-line project/restricted-syntax -- the library has one code for what is not closed and for what does not belong
  if (/must end with|Missing closing|sufficiently indented/.test(message)) return notClosed;
  return problems[code];
}

/** The error for an alias, which the library finds out last and without a place. */
export function aliasProblem(error: unknown): NotYaml {
  // oxlint-disable-next-line project/restricted-syntax -- the library has the name of the alias only in its text
  const [, name] = /^Unresolved alias .*: (.+)$/.exec((error as Error).message) ?? [];
  return new NotYaml(name === undefined ? 'its aliases repeat too many values' : `there is no anchor &${name} above *${name}`);
}
