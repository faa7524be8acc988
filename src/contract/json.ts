/** The JSON has more levels than allowed. The message is a sentence for the user. */
export class NestedTooDeeply extends Error {
  constructor(maxLevels: number) {
    super(`JSON is nested too deeply: at most ${maxLevels} levels`);
    this.name = 'NestedTooDeeply';
  }
}

/**
 * Parses JSON. Checks the depth in the text before parsing, because code that walks the value may be recursive.
 * @throws NestedTooDeeply when lists and objects are nested more than `maxLevels` deep
 * @throws SyntaxError when it is not JSON
 */
export function parseJson(text: string, maxLevels: number, reviver?: (key: string, value: unknown) => unknown): unknown {
  if (isTextDeeper(text, maxLevels)) throw new NestedTooDeeply(maxLevels);
  return JSON.parse(text, reviver) as unknown;
}

/**
 * Whether lists and objects are nested more than `maxLevels` deep. The value may share parts or contain itself, like YAML with
 * aliases.
 */
export function isDeeper(value: unknown, maxLevels: number): boolean {
  let level = containersIn([value]);
  for (let levels = 0; levels < maxLevels && level.size > 0; levels++) level = containersIn([...level].flatMap(Object.values));
  return level.size > 0;
}

function containersIn(values: readonly unknown[]): Set<object> {
  return new Set(values.filter((value) => typeof value === 'object' && value !== null));
}

const quote = 0x22;
const backslash = 0x5c;

function isTextDeeper(text: string, maxLevels: number): boolean {
  let levels = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === backslash) at++;
      else if (code === quote) inString = false;
    } else if (code === quote) inString = true;
    else if (code === 0x5b || code === 0x7b) {
      if (++levels > maxLevels) return true;
    } else if (code === 0x5d || code === 0x7d) levels--;
  }
  return false;
}
