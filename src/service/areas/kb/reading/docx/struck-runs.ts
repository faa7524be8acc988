import { SaxesParser } from 'saxes';

/** The properties of text that is not read: struck out, struck out twice, hidden. */
const properties = ['strike', 'dstrike', 'vanish'] as const;

/** Which of them a run or a style turns on or off. */
type Properties = Partial<Record<(typeof properties)[number], boolean>>;

/** The properties of the text of styles by id; of the default style of paragraphs by the empty id. */
export type Styles = ReadonlyMap<string, Properties>;

/** The maximum number of styles that one is based on. */
const basesMax = 20;

/** Reads which styles strike out or hide their text. @param part the part of the styles, as XML */
export function struckStyles(part: string): Styles {
  const own = new Map<string, { base: string; readonly values: Properties }>();
  let style = { base: '', values: {} };
  let normal = '';
  walk(part, ({ name, values }, parents) => {
    const [grandparent, parent] = parents.slice(-2);
    if (name === 'style') {
      own.set(values.styleId ?? '', (style = { base: '', values: {} }));
      if (values.type === 'paragraph' && isOn(values.default ?? '0')) normal = values.styleId ?? '';
    } else if (name === 'basedOn') style.base = values.val ?? '';
    else if (parent?.name === 'rPr' && grandparent?.name === 'style') set(style.values, name, values.val);
  });
  const valuesOf = (id: string, depth = 0): Properties => {
    const { base, values } = own.get(id) ?? {};
    return base && depth < basesMax ? { ...valuesOf(base, depth + 1), ...values } : { ...values };
  };
  return new Map([...[...own.keys()].map((id) => [id, valuesOf(id)] as const), ['', valuesOf(normal)]]);
}

/** A run of text. */
interface Run {
  /** Where its content begins. */
  readonly start: number;
  readonly prefix: string;
  readonly paragraphStyle: string;
  style: string;
  readonly values: Properties;
}

/**
 * Marks the runs that are struck out or hidden, by themselves or by their styles, in the one way that the library reads.
 * @param part a part with text, as XML
 */
export function withStruckMarked(part: string, styles: Styles): string {
  const runs: Run[] = [];
  walk(part, (element, parents) => {
    const { name, values } = element;
    const [grandparent, parent] = parents.slice(-2);
    const run = runs.at(-1);
    if (name === 'pStyle' && grandparent) grandparent.style = values.val ?? '';
    else if (name === 'r') {
      const { style: paragraphStyle = '' } = parents.findLast((each) => each.name === 'p') ?? {};
      if (!element.isEmpty) runs.push({ start: element.end, prefix: element.prefix, paragraphStyle, style: '', values: {} });
    } else if (run && parent?.name === 'rPr' && grandparent?.name === 'r') {
      if (name === 'rStyle') run.style = values.val ?? '';
      else set(run.values, name, values.val);
    }
  });
  let marked = '';
  let end = 0;
  for (const { start, prefix, paragraphStyle, style, values } of runs) {
    const all: Properties = { ...styles.get(paragraphStyle), ...styles.get(style || 'no style'), ...values };
    if (!properties.some((each) => all[each])) continue;
    marked += `${part.slice(end, start)}<${prefix}rPr><${prefix}strike/></${prefix}rPr>`;
    end = start;
  }
  return marked + part.slice(end);
}

function set(values: Properties, name: string, value: string | undefined): void {
  const property = properties.find((each) => each === name);
  if (property) values[property] = isOn(value);
}

function isOn(value: string | undefined): boolean {
  return !/^(0|false|off)$/.test(value ?? '');
}

/** An element of a part. */
interface Element {
  /** Its name without the prefix of the namespace, and the prefix. */
  readonly name: string;
  readonly prefix: string;
  /** The values of its attributes by name without prefix. */
  readonly values: Readonly<Record<string, string>>;
  readonly isEmpty: boolean;
  /** Where its opening tag ends. */
  readonly end: number;
  /** Of a paragraph, its style. */
  style?: string;
}

/**
 * Calls a function with each element and those around it, the innermost last. Stops where the part is not well-formed, which the
 * library may read nevertheless.
 */
function walk(part: string, visit: (element: Element, parents: readonly Element[]) => void): void {
  const parser = new SaxesParser();
  const parents: Element[] = [];
  parser.on('opentag', ({ name, attributes, isSelfClosing }) => {
    const local = localName(name);
    const values = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [localName(key), value]));
    const element = { name: local, prefix: name.slice(0, -local.length), values, isEmpty: isSelfClosing, end: parser.position };
    visit(element, parents);
    parents.push(element);
  });
  parser.on('closetag', () => void parents.pop());
  try {
    parser.write(part).close();
  } catch {
    // What was found before is enough.
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
