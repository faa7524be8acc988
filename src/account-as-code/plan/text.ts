import { diffLines } from 'diff';
import { counted } from '../../contract/text/counted.ts';
import { mask } from '../../contract/secret.ts';
import { someOf } from '../../contract/text/some-of.ts';
import { kinds } from '../kinds.ts';
import type { Change, Plan } from './plan.ts';
import { changedText, shownChange } from './shown.ts';
import { isFields, isSame, Secret } from '../values.ts';

/**
 * Formats one line in an optional style, such as `green`. The line contains raw values of the account and files, which the pen
 * must escape.
 */
export type Pen = (text: string, style: string | undefined) => string;

type Line = readonly [text: string, style?: string];

const signs = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  rename: ['~', 'yellow'],
  touch: ['~', 'yellow'],
  delete: ['-', 'red'],
} as const;

/** Number of unchanged lines to show around changed ones. */
const context = 1;

/** A plan as text. Shows only changed fields; deletions come last. */
export function planText(plan: Plan, pen: Pen): string {
  const changes = [
    ...plan.changes.filter(({ action }) => action !== 'delete'),
    ...plan.changes.filter(({ action }) => action === 'delete'),
  ];
  const parts = [
    changes.flatMap(changeLines),
    section(
      'Blocked',
      plan.blocked.map(({ kind, key, reason }) => `! ${kinds[kind].noun} ${key}: ${reason}`),
      'yellow',
    ),
    section(
      'Who answers new contacts',
      plan.answers.map(
        ({ channel, number, before, after }) =>
          `  ${channel}${number === null ? '' : ` ${number}`}: ${before ?? 'nobody'} → ${after ?? 'nobody'}`,
      ),
    ),
    section('Kept (live, but not in the files)', keptLines(plan)),
    section('Cannot be undone, or only partly', undoLines(plan)),
    section(
      `Needs --allow-deletes ${plan.deletions.count}`,
      plan.deletions.reasons.map((reason) => `  ${reason}`),
    ),
    section(
      'Notes',
      plan.notes.map((note) => `  ${note}`),
    ),
  ];
  const blocks = parts.filter((lines) => lines.length > 0).map((lines) => lines.map(([text, style]) => `${pen(text, style)}\n`).join(''));
  return [...blocks, `${summary(plan)}\n`].join('\n');
}

function section(title: string, lines: readonly string[], style?: string): Line[] {
  return lines.length === 0 ? [] : [[`${title}:`], ...lines.map((line) => [line, style] as const)];
}

/** A summary of the numbers of changes, of one plan or several. */
export function summary(...plans: readonly Pick<Plan, 'changes' | 'blocked'>[]): string {
  const changes = plans.flatMap((plan) => plan.changes);
  const blocked = plans.flatMap((plan) => plan.blocked);
  const count = (words: readonly Change['action'][]) => changes.filter(({ action }) => words.includes(action)).length;
  const counts = [
    [count(['create']), 'to create'],
    [count(['update', 'rename', 'touch']), 'to change'],
    [count(['delete']), 'to delete'],
    [blocked.length, 'blocked'],
  ] as const;
  const said = counts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
  return said.length === 0 ? 'Nothing to change.' : `${said.join(', ')}.`;
}

function changeLines(change: Change): Line[] {
  const { kind, key, action, name } = change;
  const [sign, colour] = signs[action];
  const what = action === 'rename' || action === 'touch' ? ` (${action})` : '';
  const head: Line = [`${sign} ${kinds[kind].noun} ${key}${what}`, colour];
  const { before, after } = shownChange(change);
  if (after === null) return [head];
  const keys = action === 'create' ? Object.keys(name) : [];
  const fields = Object.entries(after).filter(([field]) => !keys.includes(field));
  return [
    head,
    ...fields.flatMap(([field, value]) => {
      const old = before?.[field];
      const hidden = hidesValues(change, field) ? hiddenText(old, value) : undefined;
      return hidden === undefined ? fieldLines(field, old, value, action) : [[`    ${field}: ${hidden}`] as const];
    }),
  ];
}

/** Whether the values of a field are hidden or abbreviated in output. */
function hidesValues({ kind, before, after }: Change, field: string): boolean {
  return [before?.[field], after?.[field]].some((raw) => raw instanceof Secret) || kinds[kind].reading.addresses?.includes(field) === true;
}

/** The text for a value that is masked, or whose displayed form did not change; undefined if the displayed form changed. */
function hiddenText(old: unknown, value: unknown): string | undefined {
  if (old === mask || value === mask) return 'changed';
  const text = changedText(old);
  return value === text ? text : undefined;
}

/**
 * The lines of a field.
 * @param old the previous value as displayed
 * @param value the new value as displayed
 */
function fieldLines(field: string, old: unknown, value: unknown, action: Change['action']): Line[] {
  const lead = `    ${field}:`;
  if (action === 'create')
    return typeof value === 'string' && value.includes('\n')
      ? [[lead], ...value.trimEnd().split('\n').map(added)]
      : [[`${lead} ${inline(value)}`]];
  if (isSame(old, value)) return [[`${lead} ${inline(value)} (again)`]];
  if (isTextOrNone(old) && isTextOrNone(value) && `${old ?? ''}${value ?? ''}`.includes('\n'))
    return [[lead], ...lineDiff(old ?? '', value ?? '')];
  if (Array.isArray(old) && Array.isArray(value)) return [[lead], ...listDiff(old, value)];
  return [[`${lead} ${inline(old)} → ${inline(value)}`]];
}

function added(text: string): Line {
  return [`      + ${text}`, 'green'];
}

function removed(text: string): Line {
  return [`      - ${text}`, 'red'];
}

function isTextOrNone(value: unknown): value is string | null | undefined {
  return value === null || value === undefined || typeof value === 'string';
}

function lineDiff(old: string, value: string): Line[] {
  return diffLines(old, value).flatMap(({ value: text, ...part }, index, all): Line[] => {
    const lines = text.replace(/\n$/, '').split('\n');
    const open: Line[] = text.endsWith('\n') ? [] : [['        (no line break at the end)']];
    if (part.added) return [...lines.map((line) => added(visibleEnd(line))), ...open];
    if (part.removed) return [...lines.map((line) => removed(visibleEnd(line))), ...open];
    const [isFirst, isLast] = [index === 0, index === all.length - 1];
    if (lines.length <= context * 2) return lines.map((line) => [`        ${line}`]);
    const head = isFirst ? [] : lines.slice(0, context);
    const tail = isLast ? [] : lines.slice(-context);
    return [...head, '…', ...tail].map((line) => [`        ${line}`]);
  });
}

/** A line whose blanks at the end can be seen: lines can differ in these alone. */
function visibleEnd(line: string): string {
  return line.replace(/[ \t\r]+$/, (blanks) => blanks.replaceAll(' ', '·').replaceAll('\t', '→').replaceAll('\r', '␍'));
}

function listDiff(old: readonly unknown[], value: readonly unknown[]): Line[] {
  const gone = old.filter((item) => !value.some((each) => isSame(each, item)));
  const fresh = value.filter((item) => !old.some((each) => isSame(each, item)));
  if (gone.length === 0 && fresh.length === 0) return [[`      ${inline(value)}`]];
  return [...gone.map((item) => removed(inline(item))), ...fresh.map((item) => added(inline(item)))];
}

/** A value on a single line. */
function inline(value: unknown): string {
  if (value === null || value === undefined) return '(none)';
  if (typeof value === 'string') return value === '' ? "''" : value;
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : value.map(inline).join(', ');
  if (isFields(value)) {
    // Inside of a map, only brackets show where a list ends.
    const text = (inner: unknown) => (Array.isArray(inner) ? `[${inner.map(inline).join(', ')}]` : inline(inner));
    return `{ ${Object.entries(value)
      .map(([name, inner]) => `${name}: ${text(inner)}`)
      .join(', ')} }`;
  }
  return JSON.stringify(value);
}

function keptLines({ kept }: Plan): string[] {
  return [...Map.groupBy(kept, ({ kind }) => kind)].map(([kind, own]) => {
    const names = someOf(own.map(({ key }) => key));
    return `  ${counted(own.length, kinds[kind].noun)}: ${names}`;
  });
}

function undoLines({ changes }: Plan): string[] {
  return changes
    .filter(({ undo }) => undo === 'partial' || undo === 'none')
    .map(({ kind, key, undo }) => `  ${kinds[kind].noun} ${key}: ${undo === 'none' ? 'not at all' : 'only partly'}`);
}
