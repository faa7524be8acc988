import { NestedTooDeeply } from '../../../contract/json.ts';
import { isRow } from '../../output/result.ts';
import { parseYaml } from '../../output/yaml.ts';
import { linesOf } from './lines.ts';
import { malformedError, rowBytes, rowLevels, type SourceRow, tooDeepError, tooLongError } from './source.ts';

/** Lines that may stand before the rows. */
const before = /^\s*(#.*)?$|^(---|%)/;

/** Lines that may stand after a list that is the whole document. */
const after = /^\s*(#.*)?$|^(---|\.\.\.)\s*$/;

/** An item of a list in block style: its lines are those up to the next one, and indented further. */
interface Item {
  readonly line: number;
  readonly indent: number;
  text: string;
}

/**
 * The rows of YAML: the items of its list, or of a list in a document. Each item is parsed by itself, because the
 * library reads only whole documents, which would take much memory.
 * @param list the field of a document that holds the list
 */
export async function* yamlRows(text: AsyncIterable<string>, list: string): AsyncGenerator<SourceRow> {
  /** The line after which the rows of a document stand. */
  const listName = new RegExp(`^${list}:\\s*(#.*)?$`);
  const emptyList = new RegExp(`^${list}:\\s*\\[\\s*\\]\\s*$`);
  const notAListError = (line: number) => malformedError(`Line ${line} is not YAML with a list of ${list}`);
  let isNamed = false;
  let item: Item | null = null;
  let itemEnd = 0;
  for await (const { content, number, end } of linesOf(text)) {
    const [, space = ''] = /^( *)-(?:\s|$)/.exec(content) ?? [];
    const beginsItem = /^ *-(\s|$)/.test(content) && content !== '---' && (item === null || space.length === item.indent);
    if (beginsItem) {
      if (item) yield readItem(item, itemEnd);
      item = { line: number, indent: space.length, text: '' };
    } else if (item === null) {
      if (emptyList.test(content)) return;
      if (!isNamed && listName.test(content)) isNamed = true;
      else if (!before.test(content)) throw notAListError(number);
      continue;
    } else if (/^[^\s#]/.test(content)) {
      // The list is over. In a document, other fields follow.
      if (!isNamed && !after.test(content)) throw notAListError(number);
      break;
    }
    item.text += `${content}\n`;
    itemEnd = end;
    if (item.text.length > rowBytes) throw tooLongError(item.line);
  }
  if (item) yield readItem(item, itemEnd);
}

function readItem({ line, text }: Item, end: number): SourceRow {
  let value: unknown;
  try {
    [value] = parseYaml(text, rowLevels + 1, { keepsNumbers: true }) as unknown[];
  } catch (error) {
    if (error instanceof NestedTooDeeply) throw tooDeepError(line);
    throw malformedError(`The row on line ${line} is not valid YAML: ${(error as Error).message.split('\n', 1)[0]}`);
  }
  return { line, end, value: isRow(value) ? value : null, original: value };
}
