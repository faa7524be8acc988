import { diffLines } from 'diff';
import { mask } from '../contract/secret.ts';
import { someOf } from '../contract/some-of.ts';
import { kinds } from './kinds.ts';
import type { Change, Plan } from './plan.ts';
import { shownFields } from './shown.ts';
import { isFields, isSame, Secret } from './values.ts';

/** Writes text in a style, such as `green`; without colours it leaves it as it is. */
export type Pen = (text: string, style: string) => string;

const signs = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  rename: ['~', 'yellow'],
  touch: ['~', 'yellow'],
  delete: ['-', 'red'],
} as const;

/** How many unchanged lines stand around changed ones. */
const context = 1;

/** A plan as a person reads it: changed fields alone, deletions last. */
export function planText(plan: Plan, pen: Pen): string {
  const changes = [
    ...plan.changes.filter(({ action }) => action !== 'delete'),
    ...plan.changes.filter(({ action }) => action === 'delete'),
  ];
  const parts = [
    changes.flatMap((change) => changeLines(change, pen)),
    section(
      'Held back',
      plan.blocked.map(({ kind, key, reason }) => `${pen('!', 'yellow')} ${kinds[kind].noun} ${key}: ${reason}`),
    ),
    section(
      'Who answers new contacts',
      plan.answers.map(
        ({ channel, number, before, after }) =>
          `  ${channel}${number === null ? '' : ` ${number}`}: ${before ?? 'nobody'} → ${after ?? 'nobody'}`,
      ),
    ),
    section('Kept, because the files do not have it', keptLines(plan)),
    section('What cannot be undone', undoLines(plan)),
    section(
      'Notes',
      plan.notes.map((note) => `  ${note}`),
    ),
  ];
  const blocks = parts.filter((lines) => lines.length > 0).map((lines) => `${lines.join('\n')}\n`);
  return [...blocks, `${summary(plan)}\n`].join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines];
}

/** The counts of a plan in a sentence. */
export function summary({ changes, blocked }: Plan): string {
  const count = (words: readonly Change['action'][]) => changes.filter(({ action }) => words.includes(action)).length;
  const counts = [
    [count(['create']), 'to create'],
    [count(['update', 'rename', 'touch']), 'to change'],
    [count(['delete']), 'to delete'],
    [blocked.length, 'held back'],
  ] as const;
  const said = counts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
  return said.length === 0 ? 'Nothing to change.' : `${said.join(', ')}.`;
}

function changeLines({ kind, key, action, before, after, name }: Change, pen: Pen): string[] {
  const [sign, colour] = signs[action];
  const what = action === 'rename' || action === 'touch' ? ` (${action})` : '';
  const head = pen(`${sign} ${kinds[kind].noun} ${key}${what}`, colour);
  if (after === null) return [head];
  const keys = action === 'create' ? Object.keys(name) : [];
  const [left, right] = [shownFields(kind, before ?? {}), shownFields(kind, after)];
  return [
    head,
    ...Object.keys(after)
      .filter((field) => !keys.includes(field))
      .flatMap((field) => fieldLines(field, [before?.[field], left[field]], [after[field], right[field]], action, pen)),
  ];
}

function fieldLines(
  field: string,
  [rawOld, old]: [unknown, unknown],
  [rawNew, value]: [unknown, unknown],
  action: Change['action'],
  pen: Pen,
): string[] {
  const lead = `    ${field}:`;
  // An address is shown by its origin.
  if (rawNew instanceof Secret && value === mask) return [`${lead} changed`];
  if (action === 'create')
    return typeof value === 'string' && value.includes('\n')
      ? [
          lead,
          ...value
            .trimEnd()
            .split('\n')
            .map((line) => pen(`      + ${line}`, 'green')),
        ]
      : [`${lead} ${inline(value)}`];
  // A secret within differs, and is masked on both sides.
  if (isSame(old, value)) return [`${lead} ${inline(value)} (${isSame(rawOld, rawNew) ? 'again' : 'changed'})`];
  if (typeof old === 'string' && typeof value === 'string' && (old.includes('\n') || value.includes('\n')))
    return [lead, ...lineDiff(old, value, pen)];
  if (Array.isArray(old) && Array.isArray(value)) return [lead, ...listDiff(old, value, pen)];
  return [`${lead} ${inline(old)} → ${inline(value)}`];
}

function lineDiff(old: string, value: string, pen: Pen): string[] {
  return diffLines(`${old.trimEnd()}\n`, `${value.trimEnd()}\n`).flatMap(({ value: text, added, removed }, index, all) => {
    const lines = text.replace(/\n$/, '').split('\n');
    if (added) return lines.map((line) => pen(`      + ${line}`, 'green'));
    if (removed) return lines.map((line) => pen(`      - ${line}`, 'red'));
    const [isFirst, isLast] = [index === 0, index === all.length - 1];
    if (lines.length <= context * 2) return lines.map((line) => `        ${line}`);
    const head = isFirst ? [] : lines.slice(0, context);
    const tail = isLast ? [] : lines.slice(-context);
    return [...head, '…', ...tail].map((line) => `        ${line}`);
  });
}

function listDiff(old: readonly unknown[], value: readonly unknown[], pen: Pen): string[] {
  const gone = old.filter((item) => !value.some((each) => isSame(each, item)));
  const fresh = value.filter((item) => !old.some((each) => isSame(each, item)));
  if (gone.length === 0 && fresh.length === 0) return [`      ${inline(value)}`];
  return [...gone.map((item) => pen(`      - ${inline(item)}`, 'red')), ...fresh.map((item) => pen(`      + ${inline(item)}`, 'green'))];
}

/** A value on one line. */
function inline(value: unknown): string {
  if (value === null || value === undefined) return '(none)';
  if (typeof value === 'string') return value === '' ? "''" : value;
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : value.map(inline).join(', ');
  if (isFields(value))
    return `{ ${Object.entries(value)
      .map(([name, inner]) => `${name}: ${inline(inner)}`)
      .join(', ')} }`;
  return JSON.stringify(value);
}

function keptLines({ kept }: Plan): string[] {
  return [...Map.groupBy(kept, ({ kind }) => kind)].map(([kind, own]) => {
    const names = someOf(own.map(({ key }) => key));
    return `  ${own.length} ${own.length === 1 ? kinds[kind].noun : kind}: ${names}`;
  });
}

function undoLines({ changes }: Plan): string[] {
  return changes
    .filter(({ undo }) => undo === 'partial' || undo === 'none')
    .map(({ kind, key, undo }) => `  ${kinds[kind].noun} ${key}: ${undo === 'none' ? 'it cannot be taken back' : 'only in part'}`);
}
