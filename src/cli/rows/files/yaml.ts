import { NestedTooDeeply } from '../../../contract/json.ts';
import { NotYaml } from '../../../account-as-code/files/not-yaml.ts';
import { isRow } from '../../output/result.ts';
import { parseYaml } from '../../output/yaml.ts';
import { linesOf } from './lines.ts';
import { malformedError, rowBytes, rowLevels, type SourceRow, tooDeepError, tooLongError } from './source.ts';

/** Lines that can precede the rows. */
const before = /^\s*(#.*)?$|^(---|%)/;

/** Lines that can follow a list that is the whole document. */
const after = /^\s*(#.*)?$|^(---|\.\.\.)\s*$/;

/** An item of a block-style list: the lines up to the next item that are indented further. */
interface Item {
  readonly line: number;
  readonly indent: number;
  text: string;
}

/**
 * The rows of YAML: the items of its list, or of a list in a document. Each item is parsed individually, because the library
 * can only read whole documents, which would take much memory.
 * @param list the field of the document that contains the list
 */
export async function* yamlRows(text: AsyncIterable<string>, list: string): AsyncGenerator<SourceRow> {
  /** The line after which the rows of a document begin. */
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
      // The end of the list. In a document, other fields can follow.
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
    if (!(error instanceof NotYaml)) throw error;
    const { problem, place } = error;
    throw malformedError(
      `The row on line ${line} is not valid YAML: ${new NotYaml(problem, place && { ...place, line: line + place.line - 1 }).message}`,
    );
  }
  return { line, end, value: isRow(value) ? value : null, original: value };
}
