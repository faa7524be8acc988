import { isDeepStrictEqual } from 'node:util';
import { diffWords, structuredPatch } from 'diff';
import { terminalSafe } from '../../output/cell.ts';
import { penFor } from '../../output/pen.ts';
import type { ResultRow } from '../../output/result.ts';
import type { Screen } from '../../output/screen.ts';
import { yamlText } from '../../output/yaml.ts';

/** A changed field, with its old and new value. */
export interface Change {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The fields of `after` that differ from `before`. A missing field equals null. */
export function changesBetween(before: ResultRow, after: ResultRow): Change[] {
  return Object.entries(after)
    .map(([field, value]) => ({ field, before: before[field] ?? null, after: value ?? null }))
    .filter((change) => !isDeepStrictEqual(change.before, change.after));
}

/** Number of unchanged lines to show before and after changed ones. */
const context = 2;

/**
 * Changes for people. Prose is compared word by word, as `[-removed-]` and `{+added+}`, in colour. For other values, the
 * changed lines are shown with some context.
 */
export async function changesText(changes: readonly Change[], screen: Pick<Screen, 'color' | 'unicode'>): Promise<string> {
  const pen = await penFor(screen);
  const removed = (text: string) => pen(`[-${terminalSafe(text)}-]`, 'red');
  const added = (text: string) => pen(`{+${terminalSafe(text)}+}`, 'green');
  return changes.map(({ field, before, after }) => `${pen(field, 'bold')}\n${indented(valueText(before, after))}\n`).join('\n');

  function valueText(before: unknown, after: unknown): string {
    if (isProse(before) && isProse(after))
      return diffWords(before ?? '', after ?? '')
        .map((part) => (part.added ? added(part.value) : part.removed ? removed(part.value) : terminalSafe(part.value)))
        .join('');
    const { hunks } = structuredPatch('', '', yamlText(before), yamlText(after), '', '', { context });
    return hunks.map(({ lines }) => lines.map(lineText).join('\n')).join(screen.unicode ? '\n…\n' : '\n...\n');
  }

  function lineText(line: string): string {
    const [, indent = '', text = ''] = /^(\s*)(.*)$/s.exec(line.slice(1)) ?? [];
    return indent + (line.startsWith('-') ? removed(text) : line.startsWith('+') ? added(text) : terminalSafe(text));
  }
}

function isProse(value: unknown): value is string | null {
  return typeof value === 'string' || value === null;
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}
