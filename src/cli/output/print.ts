import { once } from 'node:events';
import type { OutputFormat } from '../global-options.ts';
import type { Output, World } from '../world.ts';
import type { Notes } from './notes.ts';
import type { Result, Row } from './result.ts';

/** Prints what a command answers, in the chosen format; lists page by page, in constant memory. */
export async function print(result: Result, format: OutputFormat, world: World, notes: Notes): Promise<void> {
  const write = (text: string) => writeAll(world.stdout, text);
  switch (result.kind) {
    case 'nothing':
      return;
    case 'document':
      return await write(await documentText(result.document, format));
    case 'record':
      return await write(await recordText(result, format, world));
    case 'list':
      return await printList(result, format, world, notes, write);
  }
}

async function writeAll(stream: Output, text: string): Promise<void> {
  if (text === '' || stream.write(text)) return;
  await once(stream, 'drain');
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function documentText(document: Row, format: OutputFormat): Promise<string> {
  if (format === 'yaml') return (await import('./yaml.ts')).yamlText(document);
  return format === 'ndjson' ? `${JSON.stringify(document)}\n` : jsonText(document);
}

async function recordText(result: Extract<Result, { kind: 'record' }>, format: OutputFormat, world: World): Promise<string> {
  // An answer without fields has nothing to show outside of a document.
  if (result.columns.length === 0 && format !== 'json' && format !== 'yaml' && format !== 'ndjson') return '';
  switch (format) {
    case 'table': {
      const { TableFormatter } = await import('./table.ts');
      return await new TableFormatter(result.columns, tableStyle(world)).record(result.record);
    }
    case 'csv':
    case 'tsv':
      return (await import('./delimited.ts')).delimited(format, result.columns, [result.record], true);
    case 'ndjson':
      return `${JSON.stringify(result.record)}\n`;
    default:
      return await documentText(result.answer, format);
  }
}

/** How one format writes a list: what comes before, for each page, and after. */
interface ListFormat {
  page(rows: readonly Row[], isFirst: boolean): string | Promise<string>;
  end(nextCursor: string | null): string;
}

async function printList(
  result: Extract<Result, { kind: 'list' }>,
  format: OutputFormat,
  world: World,
  notes: Notes,
  write: (text: string) => Promise<void>,
): Promise<void> {
  const writer = await listFormat(result, format, world);
  let isFirst = true;
  let cursor: string | null = null;
  for await (const { rows, next_cursor } of result.pages) {
    await write(await writer.page(rows, isFirst));
    isFirst = false;
    cursor = next_cursor;
  }
  await write(writer.end(cursor));
  if (cursor !== null) notes.say(`There is more: --all shows everything, --cursor ${cursor} goes on from here.`);
}

async function listFormat(result: Extract<Result, { kind: 'list' }>, format: OutputFormat, world: World): Promise<ListFormat> {
  const { columns } = result;
  switch (format) {
    case 'table': {
      const { TableFormatter } = await import('./table.ts');
      const table = new TableFormatter(columns, tableStyle(world));
      return { page: (rows) => table.page(rows), end: () => '' };
    }
    case 'csv':
    case 'tsv': {
      const { delimited } = await import('./delimited.ts');
      return { page: (rows, isFirst) => delimited(format, columns, rows, isFirst), end: () => '' };
    }
    case 'ndjson':
      return { page: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''), end: () => '' };
    case 'yaml': {
      const { yamlText } = await import('./yaml.ts');
      return yamlList(result, yamlText);
    }
    case 'json':
      return jsonList(result);
  }
}

function jsonList({ field, paged }: Extract<Result, { kind: 'list' }>): ListFormat {
  let empty = true;
  return {
    page(rows, isFirst) {
      const text = rows.map((row) => `\n    ${JSON.stringify(row, null, 2).replaceAll('\n', '\n    ')}`).join(',');
      const lead = isFirst ? `{\n  ${JSON.stringify(field)}: [` : rows.length > 0 && !empty ? ',' : '';
      empty &&= rows.length === 0;
      return lead + text;
    },
    end: (nextCursor) => `${empty ? ']' : '\n  ]'}${paged ? `,\n  "next_cursor": ${JSON.stringify(nextCursor)}` : ''}\n}\n`,
  };
}

function yamlList({ field, paged }: Extract<Result, { kind: 'list' }>, stringify: (value: unknown) => string): ListFormat {
  let empty = true;
  return {
    page(rows) {
      if (rows.length === 0) return '';
      const lead = empty ? `${field}:\n` : '';
      empty = false;
      return lead + stringify(rows).replace(/^(?=.)/gm, '  ');
    },
    end: (nextCursor) => (empty ? `${field}: []\n` : '') + (paged ? stringify({ next_cursor: nextCursor }) : ''),
  };
}

function tableStyle({ stdout, env }: World) {
  return {
    terminal: stdout.isTTY ? { columns: stdout.columns ?? 80 } : null,
    color: wantsColor(stdout, env),
  };
}

/** Whether a stream gets colour: a terminal does, unless NO_COLOR says otherwise; FORCE_COLOR wins over what it is. */
function wantsColor(stream: Output, env: World['env']): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}
