import { someOf } from '../contract/some-of.ts';
import { Layout } from './files/layout.ts';
import { mergeRecords, tagOf } from './files/merge.ts';
import type { ReadFolder } from './files/read.ts';
import type { ReadRecord } from './files/read-record.ts';
import { type Dumped, FileWriter } from './files/write.ts';
import { keyOf, type KindName, type LiveRecord, titleOf } from './kind.ts';
import { kinds } from './kinds.ts';
import type { Live } from './live.ts';
import { matchRules } from './planner/match-rules.ts';
import { rulesByPrecedence } from './planner/precedence.ts';
import { type Fields, inOrder, isFields, isSame, pick } from './values.ts';

/** A record to write, and what the bases say of it. */
interface OutRecord {
  readonly title: string;
  /** All of its fields. */
  readonly fields: Fields;
  /** Set for one of several records of one name. */
  readonly id: string | undefined;
  readonly base: Fields | undefined;
  /** Where the folder has it already. */
  readonly known: ReadRecord | undefined;
}

/** What a dump says. */
export interface DumpOptions {
  readonly names: readonly KindName[];
  /** Written to account.yaml. */
  readonly account?: string | undefined;
  /** The bases to write there, as the folder names them. */
  readonly bases?: readonly string[] | undefined;
}

/**
 * The files of an account.
 * @param existing what the folder has; undefined for a new one
 */
export function dumpFiles(
  live: Live,
  existing: ReadFolder | undefined,
  { names, account, bases }: DumpOptions,
): Dumped & { notes: string[] } {
  const ownLayer = (existing?.folders.length ?? 1) - 1;
  const own = (existing?.records ?? []).filter(({ layer }) => layer === ownLayer);
  const base = mergeRecords((existing?.records ?? []).filter(({ layer }) => layer < ownLayer));
  const notes = names.includes('agents') && !names.includes('sources') ? uploadedNotes(live) : [];
  if (names.includes('templates')) notes.push(...campaignTemplateNotes(live));
  const writer = new FileWriter(existing?.files ?? [], own);
  writer.settings({ account, base: bases });
  const layout = new Layout(existing?.files.map(({ path }) => path) ?? []);
  for (const name of names) {
    const kind = kinds[name];
    const records = name === 'rules' ? rulesOf(live, own, base, writer) : recordsOf(name, live, own, base, notes);
    for (const { known, fields, base: below, id } of records) {
      const given = deviation(fields, below, known?.fields);
      if (known) writer.edit(known, given, { id });
      else if (!below || Object.keys(given).length > 0) {
        writer.add(kind, { ...pick(fields, kind.key), ...given }, { id, file: () => layout.fileOf(kind, fields) });
      }
    }
    const kept = new Set(records.map(({ known }) => known));
    const isLive = new Set(records.map(({ fields }) => keyOf(kind, fields)));
    for (const record of own.filter((each) => each.kind === name && !kept.has(each))) if (!record.absent) writer.remove(record);
    if (name !== 'rules')
      for (const record of base.filter((each) => each.kind === name && !isLive.has(keyOf(kind, each.fields)))) {
        const isSaid = own.some((each) => each.kind === name && each.absent && keyOf(kind, each.fields) === keyOf(kind, record.fields));
        const keyed = pick(record.fields, kind.key);
        if (!isSaid) writer.add(kind, { ...keyed, absent: true }, { file: () => layout.fileOf(kind, record.fields) });
      }
    if (name === 'rules') writer.orderRules(records.map(({ known }) => known));
  }
  const receivers = names.includes('webhooks') ? (live.records.get('webhooks') ?? []) : [];
  if (receivers.some(({ fields }) => !isHidden(own, fields)))
    notes.push('The files contain the addresses of webhooks. If one holds a secret, write !env NAME instead.');
  return { ...writer.finish(), notes };
}

function isHidden(own: readonly ReadRecord[], { name }: Fields): boolean {
  return own.some((record) => record.kind === 'webhooks' && record.fields.name === name && typeof record.fields.url === 'object');
}

function recordsOf(
  name: KindName,
  live: Live,
  own: readonly ReadRecord[],
  base: readonly { kind: KindName; fields: Fields }[],
  notes: string[],
): OutRecord[] {
  const kind = kinds[name];
  const found = live.records.get(name) ?? [];
  const byKey = Map.groupBy(found, ({ fields }) => keyOf(kind, fields));
  for (const [, twins] of byKey)
    if (twins.length > 1)
      notes.push(`There are ${twins.length} ${name} named '${titleOf(kind, twins[0]?.fields ?? {})}'. Their ids tell them apart.`);
  const out = found.map(({ id, fields }) => {
    const key = keyOf(kind, fields);
    const isTwin = (byKey.get(key)?.length ?? 0) > 1;
    const named = own.filter((record) => record.kind === name && !record.absent && keyOf(kind, record.fields) === key);
    const known = named.find((record) => record.id === id) ?? (isTwin ? undefined : named[0]);
    const below = base.find((record) => record.kind === name && keyOf(kind, record.fields) === key);
    return { title: titleOf(kind, fields), fields, id: isTwin ? id : undefined, base: below?.fields, known };
  });
  const order = (record: OutRecord) => (name === 'faqs' ? String(Number(record.fields.order_index ?? 0)).padStart(12, '0') : '');
  return out.sort((one, other) =>
    inOrder(`${order(one)}${one.title}\0${one.id ?? ''}`, `${order(other)}${other.title}\0${other.id ?? ''}`),
  );
}

/** Rules in the order of their precedence. Those of the bases come last, so only what follows that order is left to them. */
function rulesOf(
  live: Live,
  own: readonly ReadRecord[],
  base: readonly { kind: KindName; fields: Fields }[],
  writer: FileWriter,
): OutRecord[] {
  const inForce = rulesByPrecedence(live);
  const below = base.filter(({ kind }) => kind === 'rules');
  const left = new Set<LiveRecord>();
  const kept = new Set<unknown>();
  let at = below.length - 1;
  for (const rule of [...inForce].reverse()) {
    while (at >= 0 && !isSame(below[at]?.fields, rule.fields)) at--;
    if (at < 0) break;
    left.add(rule);
    kept.add(below[at--]);
  }
  const known = own.filter(({ kind, absent }) => kind === 'rules' && !absent);
  for (const rule of below.filter((each) => !kept.has(each)))
    if (!own.some((each) => each.kind === 'rules' && each.absent && isSame(each.fields, rule.fields)))
      writer.add(kinds.rules, { ...rule.fields, absent: true }, { file: () => kinds.rules.file ?? '' });
  const wanted = inForce.filter((rule) => !left.has(rule));
  const matched = matchRules(
    known.map(({ fields }) => fields),
    wanted,
  );
  const knownOf = new Map(matched.flatMap(({ live: rule }, index) => (rule ? [[rule, known[index]] as const] : [])));
  return wanted.map((rule) => ({
    title: titleOf(kinds.rules, rule.fields),
    fields: rule.fields,
    id: undefined,
    base: undefined,
    known: knownOf.get(rule),
  }));
}

/**
 * The fields that a record of the folder must have, so that with those of the bases it is the live one. What the folder has
 * already stays when it is right.
 */
function deviation(live: Fields, base: Fields | undefined, own: Fields | undefined): Fields {
  const given: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(live)) {
    if (value === undefined) continue;
    const below = base?.[field];
    const isOwn = own !== undefined && field in own;
    if (field === 'tags' && areRules(below) && areRules(value)) {
      const rules = changedRules(value, below);
      if (rules.length > 0 || isOwn) given.tags = rules;
    } else if (isOwn || base === undefined || !isSame(below, value)) given[field] = value;
  }
  // What the bases say must be taken back where it is not so.
  for (const [field, value] of Object.entries(base ?? {}))
    if (value !== null && (live[field] === undefined || live[field] === null)) given[field] = null;
  return given;
}

/** The uploaded sources that agents know. Files cannot name them. */
function uploadedNotes({ rows }: Live): string[] {
  const known = new Set((rows.get('agents') ?? []).flatMap(({ kb_source_refs: ids }) => ids as string[] | undefined));
  const left = (rows.get('sources') ?? [])
    .filter((row) => known.has(kinds.sources.idOf(row)))
    .map((row) => kinds.sources.leavesOut?.(row, rows));
  return left.flatMap((reason) => (typeof reason === 'string' ? [`${reason}.`] : []));
}

/** The templates that belong to campaigns, which are data. */
function campaignTemplateNotes({ rows }: Live): string[] {
  const left = (rows.get('templates') ?? []).filter((row) => kinds.templates.leavesOut?.(row, rows));
  if (left.length === 0) return [];
  const names = left.map(({ name, language }) => `'${String(name)}' (${String(language)})`);
  return [`Templates that belong to a campaign are data, so they are not dumped: ${someOf(names.sort())}.`];
}

function areRules(value: unknown): value is Fields[] {
  return Array.isArray(value) && value.every((item) => isFields(item) && typeof item.tag === 'string');
}

/** The tagging rules that differ from those of the bases. */
function changedRules(live: readonly Fields[], base: readonly Fields[]): Fields[] {
  const changed = live.filter((rule) => !base.some((each) => isSame({ ...each, tag: tagOf(each) }, { ...rule, tag: tagOf(rule) })));
  const cleared = changed.map((rule) => {
    const below = base.find((each) => tagOf(each) === tagOf(rule)) ?? {};
    return {
      ...Object.fromEntries(
        Object.keys(below)
          .filter((field) => !(field in rule))
          .map((field) => [field, field === 'ai_can_remove' ? false : null]),
      ),
      ...rule,
    };
  });
  const gone = base.filter((each) => !live.some((rule) => tagOf(rule) === tagOf(each))).map(({ tag }) => ({ tag, absent: true }));
  return [...cleared, ...gone];
}
