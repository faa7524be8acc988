import type { Configuration, FileRecord } from '../configuration.ts';
import {
  type Kind,
  type KindName,
  kindNames,
  kindsOnRequest,
  type LiveRecord,
  keyOf,
  mapReferences,
  referencesOf,
  titleOf,
  type Undo,
} from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import type { Held, Plan } from '../plan.ts';
import { FilesError, type Problem } from '../problems.ts';
import { type Fields, hiddenLike, isSame, pick } from '../values.ts';
import { allowanceReasons, resembling } from './deletions.ts';
import { type Match, matchRecords, temporaryName } from './match.ts';
import { type Draft, ordered } from './order.ts';
import { byPrecedence, neededTouches } from './precedence.ts';
import { changedAnswerers, type Routing } from './routing.ts';

/** What a plan is about. */
export interface PlanOptions {
  /** The kinds to plan; those that the files hold by default. */
  readonly only?: ReadonlySet<KindName> | undefined;
  /** The kinds to prune besides those that the files name. */
  readonly prune?: ReadonlySet<KindName> | undefined;
  readonly with?: ReadonlySet<KindName>;
  /** The key of the digests of secrets. */
  readonly salt: string;
  /** The names of agents that an earlier run made and did not come to activate. */
  readonly unfinished?: ReadonlySet<string>;
}

/** The kinds that a plan of these files is about. */
export function plannedKinds({ held }: Configuration, { only, with: wanted }: Pick<PlanOptions, 'only' | 'with'>): KindName[] {
  return kindNames.filter(
    (name) => held.has(name) && (only?.has(name) ?? true) && (!kindsOnRequest.has(name) || wanted?.has(name) === true),
  );
}

/**
 * Says what has to be done so that an account is what the files say. It reads nothing and writes nothing.
 * @throws FilesError when a reference leads nowhere, or a new record lacks what it needs
 */
export function makePlan(configuration: Configuration, live: Live, options: PlanOptions): Plan {
  return new Planner(configuration, live, options).plan();
}

/** A match with the reasons that came up since. */
interface Planned extends Match {
  held?: string | undefined;
}

class Planner {
  readonly #configuration: Configuration;
  readonly #live: Live;
  readonly #options: PlanOptions;
  readonly #names: readonly KindName[];
  readonly #planned = new Map<KindName, Planned[]>();
  /** The live records with the names that references will have. */
  readonly #translated = new Map<KindName, readonly LiveRecord[]>();
  /** The new names of renamed records, by their old ones. */
  readonly #renamed = new Map<KindName, Map<string, string>>();
  readonly #drafts: Draft[] = [];
  readonly #held: Held[] = [];
  readonly #notes: string[] = [];
  readonly #problems: Problem[] = [];
  readonly #creations = new Map<string, Draft>();

  constructor(configuration: Configuration, live: Live, options: PlanOptions) {
    this.#configuration = configuration;
    this.#live = live;
    this.#options = options;
    this.#names = plannedKinds(configuration, options);
  }

  plan(): Plan {
    for (const name of kindNames) this.#match(kinds[name]);
    this.#checkReferences();
    this.#checkRequired();
    if (this.#problems.length > 0) throw new FilesError(this.#problems);
    this.#refuse();
    this.#holdResembling();
    this.#checkBounds();
    this.#holdDependents();
    for (const name of this.#names) this.#write(kinds[name]);
    this.#touchRules();
    const kept = this.#names.flatMap((name) => this.#rest(kinds[name]));
    for (const name of this.#names)
      for (const { record, held } of this.#of(name))
        if (held !== undefined) this.#held.push({ kind: name, key: titleOf(kinds[name], record.fields), reason: held });
    this.#limitAgents();
    const changes = ordered(this.#drafts);
    return {
      version: 1,
      account: this.#live.account.id,
      changes,
      kept,
      blocked: this.#held,
      answers: changedAnswerers(this.#routing(false), this.#routing(true), this.#live.channels),
      notes: [...this.#configuration.notes, ...this.#live.notes, ...this.#notes],
      deletions: allowanceReasons(this.#drafts, this.#live.records),
      salt: this.#options.salt,
    };
  }

  #of(name: KindName): Planned[] {
    return this.#planned.get(name) ?? [];
  }

  #liveOf(name: KindName): readonly LiveRecord[] {
    return this.#translated.get(name) ?? [];
  }

  #match(kind: Kind): void {
    const newName = (name: KindName, text: string) => this.#renamed.get(name)?.get(text) ?? text;
    const live = (this.#live.records.get(kind.name) ?? []).map((each) => {
      const fields = mapReferences(kind, each.fields, newName);
      return { ...each, fields: kind.normalise ? kind.normalise(fields) : fields };
    });
    this.#translated.set(kind.name, live);
    const records = this.#configuration.records.filter(({ kind: name }) => name === kind.name);
    if (records.length === 0 || !this.#live.records.has(kind.name)) return;
    const newest = kind.key.length === 0 ? [...live].sort((one, other) => byPrecedence(one.row, other.row)) : live;
    const matches: Planned[] = matchRecords(kind, records, newest);
    this.#planned.set(kind.name, matches);
    const [field = ''] = kind.key;
    if (!this.#names.includes(kind.name)) return;
    const names = matches.flatMap(({ record, live: found, held }) =>
      found && held === undefined && found.fields[field] !== record.fields[field]
        ? [[String(found.fields[field]), String(record.fields[field])] as const]
        : [],
    );
    if (kind.name !== 'faqs') this.#renamed.set(kind.name, new Map(names));
  }

  /** Each reference leads to a record of the files, else to a live one. */
  #checkReferences(): void {
    for (const name of this.#names)
      for (const planned of this.#of(name)) {
        const kind = kinds[name];
        for (const { kind: target, name: text } of referencesOf(kind, planned.record.fields)) {
          const found = this.#target(target, text);
          if (found === 'ambiguous' && !isUnchanged(planned, target, text))
            planned.held ??= `the ${kinds[target].noun} '${text}' is ambiguous`;
          if (found !== undefined) continue;
          const field = fieldOf(kind, planned.record.fields, target, text);
          this.#problems.push({
            ...planned.record.placeOf(field),
            problem: `${field}: there is no ${kinds[target].noun} '${text}', neither in the files nor live`,
          });
        }
      }
  }

  #target(name: KindName, text: string): Planned | LiveRecord | 'ambiguous' | undefined {
    const kind = kinds[name];
    const key = keyOf(kind, { [kind.key[0] ?? '']: text });
    const isNamed = ({ fields }: { fields: Fields }) => keyOf(kind, { [kind.key[0] ?? '']: fields[kind.key[0] ?? ''] }) === key;
    const inFiles = this.#names.includes(name) ? this.#of(name).filter(({ record }) => isNamed(record)) : [];
    if (inFiles.length > 1) return 'ambiguous';
    if (inFiles[0]) return inFiles[0];
    const found = this.#liveOf(name).filter(isNamed);
    return found.length > 1 ? 'ambiguous' : found[0];
  }

  #checkRequired(): void {
    for (const name of this.#names)
      for (const { record, live, held } of this.#of(name)) {
        if (live || held !== undefined) continue;
        const nulls = kinds[name].nulls ?? [];
        const isMissing = (field: string) =>
          record.fields[field] === undefined || (record.fields[field] === null && !nulls.includes(field));
        for (const field of kinds[name].required ?? [])
          if (isMissing(field)) this.#problems.push({ ...record.placeOf(field), problem: `${field}: a new ${kinds[name].noun} needs it` });
      }
  }

  #refuse(): void {
    for (const name of this.#names)
      for (const planned of this.#of(name)) {
        if (planned.held !== undefined) continue;
        const { record, live } = planned;
        const changed = live ? changedFields(record, live) : record.fields;
        if (Object.keys(changed).length > 0) planned.held = kinds[name].refuses?.(changed, live, this.#live.bounds);
      }
    this.#refuseShared();
  }

  /** A FAQ that several campaigns share is one record, so it cannot differ between them. */
  #refuseShared(): void {
    const shared = Map.groupBy(
      this.#of('faqs').filter(({ live }) => live),
      ({ live }) => live?.id ?? '',
    );
    for (const [, group] of shared) {
      const [first, ...others] = group.map(({ record }) => ({ ...record.fields, campaign: null }));
      if (first && others.some((fields) => !isSame(first, fields)))
        for (const planned of group) planned.held ??= 'its campaigns share it, and the files have it in two forms';
    }
  }

  /** A record that looks renamed is neither made nor deleted, until `was` says so. */
  #holdResembling(): void {
    for (const name of this.#names) {
      const kind = kinds[name];
      if (kind.isRenamed === false || !this.#isPruned(name)) continue;
      const fresh = this.#of(name).filter(({ live, held }) => !live && held === undefined);
      for (const { planned, live } of resembling(kind, fresh, this.#unmatched(name))) {
        const was = String(live.fields[kind.name === 'faqs' ? 'question' : (kind.key[0] ?? '')]);
        planned.held = `it resembles the ${kind.noun} '${was}', which would be deleted: write was: ${was} if it is renamed`;
        this.#kept.add(live);
      }
    }
  }

  readonly #kept = new Set<LiveRecord>();

  #checkBounds(): void {
    if (!this.#names.includes('agents')) return;
    const fresh = this.#of('agents').filter(({ live, held }) => !live && held === undefined);
    const doomed = this.#isPruned('agents') ? this.#unmatched('agents').filter((each) => !this.#kept.has(each)).length : 0;
    const room = this.#live.bounds.max_agents - (this.#live.rows.get('agents')?.length ?? 0) + doomed;
    for (const planned of fresh.slice(Math.max(0, room))) planned.held = `the plan allows ${this.#live.bounds.max_agents} agents`;
  }

  /** What needs a record that is held is held too. */
  #holdDependents(): void {
    for (const name of this.#names)
      for (const planned of this.#of(name)) {
        if (planned.held !== undefined) continue;
        for (const { kind, name: text } of referencesOf(kinds[name], planned.record.fields)) {
          if (isUnchanged(planned, kind, text)) continue;
          const target = this.#target(kind, text);
          if (target !== undefined && target !== 'ambiguous' && 'record' in target && target.held !== undefined)
            planned.held = `it needs the ${kinds[kind].noun} '${text}', which is held back`;
        }
      }
  }

  #write(kind: Kind): void {
    for (const { record, live, held } of this.#of(kind.name)) {
      if (held !== undefined) continue;
      if (live) this.#writeUpdate(kind, record, live);
      else this.#writeCreation(kind, record);
    }
    breakCircles(
      this.#drafts.filter((draft) => draft.kind === kind.name),
      kind,
      (draft) => this.#drafts.push(draft),
    );
  }

  #writeCreation(kind: Kind, record: FileRecord): void {
    const { active, ...fields } = record.fields;
    const isAgent = kind.name === 'agents';
    const after = isAgent ? fields : record.fields;
    const draft = this.#draft(kind, {
      action: 'create',
      id: null,
      before: null,
      after: filled(after),
      record,
      undo: undoOf(kind, 'create', after, undefined),
    });
    this.#creations.set(`${kind.name}\0${keyOf(kind, record.fields)}`, draft);
    if (!isAgent || active === false) return;
    this.#activate(kind, record, draft);
  }

  /** An agent is activated when everything that it needs is there. */
  #activate(kind: Kind, record: FileRecord, creation: Draft | undefined, id: string | null = null): void {
    const draft = this.#draft(kind, { action: 'update', id, before: { active: false }, after: { active: true }, record, undo: 'exact' });
    draft.step = 6;
    draft.needs.length = 0;
    if (creation) draft.needs.push(creation);
  }

  #writeUpdate(kind: Kind, record: FileRecord, live: LiveRecord): void {
    const changed = changedFields(record, live);
    const { active, ...rest } = changed;
    const isAgent = kind.name === 'agents';
    const after = isAgent ? rest : changed;
    const isRenamed = kind.key.some((field) => field in after && kind.isRenamed !== false);
    if (Object.keys(after).length > 0) {
      const before = hiddenLike(beforeOf(live, after), after) as Fields;
      const undo = undoOf(kind, 'update', after, live);
      const draft = this.#draft(kind, { action: isRenamed ? 'rename' : 'update', id: live.id, before, after, record, undo });
      draft.live = live;
      if (kind.isRemade) draft.loses = kind.loses?.(live);
    }
    const isLeft =
      isAgent && record.fields.active === undefined && live.fields.active === false && this.#options.unfinished?.has(live.id) === true;
    if (isAgent && (typeof active === 'boolean' || isLeft)) {
      if (active === false) {
        const draft = this.#draft(kind, {
          action: 'update',
          id: live.id,
          before: { active: true },
          after: { active: false },
          record,
          undo: 'exact',
        });
        draft.step = 6;
      } else this.#activate(kind, record, undefined, live.id);
    }
  }

  #draft(
    kind: Kind,
    draft: { action: Draft['action']; id: string | null; before: Fields | null; after: Fields | null; record: FileRecord; undo: Undo },
  ): Draft {
    const { record, ...rest } = draft;
    const needs = referencesOf(kind, draft.after ?? {}).flatMap(({ kind: target, name }) => {
      const named = kinds[target];
      return this.#creations.get(`${target}\0${keyOf(named, { [named.key[0] ?? '']: name })}`) ?? [];
    });
    const made: Draft = {
      ...rest,
      kind: kind.name,
      key: titleOf(kind, record.fields),
      name: pick(record.fields, kind.key),
      step: kind.step,
      needs,
      // Rules are written in the opposite order of the files, so that the first one is the latest.
      order: kind.name === 'rules' ? -this.#of('rules').findIndex((each) => each.record === record) : 0,
    };
    this.#drafts.push(made);
    return made;
  }

  #touchRules(): void {
    if (!this.#names.includes('rules')) return;
    const inForce = this.#of('rules').filter(({ held }) => held === undefined);
    const wanted = inForce.map(({ record, live }) => ({
      fields: { ...live?.fields, ...record.fields },
      row: live?.row,
      isWritten: !live || Object.keys(changedFields(record, live)).length > 0,
    }));
    const touches = neededTouches(wanted);
    for (const index of touches) {
      const { record, live } = inForce[index] ?? {};
      if (record && live)
        this.#draft(kinds.rules, { action: 'touch', id: live.id, before: {}, after: {}, record, undo: 'exact' }).live = live;
    }
    if (touches.length > 0)
      this.#notes.push(
        `${touches.length === 1 ? 'One rule is' : `${touches.length} rules are`} updated without a change, so that the order of the file decides where rules overlap.`,
      );
  }

  #isPruned(name: KindName): boolean {
    const isNamed = this.#configuration.prune.has(name) || this.#options.prune?.has(name) === true;
    return isNamed && this.#configuration.held.has(name) && kinds[name].isNeverPruned !== true;
  }

  #unmatched(name: KindName): LiveRecord[] {
    const known = new Set(this.#of(name).map(({ live }) => live));
    // What is ambiguous may be any of those of its name.
    const unsure = this.#of(name).filter(({ held, live }) => held !== undefined && !live);
    const isUnsure = ({ fields }: LiveRecord) =>
      kinds[name].key.length === 0
        ? unsure.length > 0
        : unsure.some(({ record }) => [keyOf(kinds[name], record.fields), record.was].includes(keyOf(kinds[name], fields)));
    return this.#liveOf(name).filter((each) => !known.has(each) && !isUnsure(each));
  }

  /** Deletes or keeps what is live and not in the files. @returns what is kept */
  #rest(kind: Kind): { kind: KindName; key: string }[] {
    const rest = this.#unmatched(kind.name);
    const doomed = this.#isPruned(kind.name) ? rest.filter((each) => !this.#kept.has(each) && !this.#isNeeded(kind, each)) : [];
    for (const live of doomed) {
      const needs = this.#drafts.filter((draft) => draft.live && releases(draft, kind.name, live));
      this.#drafts.push({
        kind: kind.name,
        key: titleOf(kind, live.fields),
        name: pick(live.fields, kind.key),
        action: 'delete',
        id: live.id,
        before: filled(live.fields),
        after: null,
        undo: undoOf(kind, 'delete', {}, live),
        step: kind.step,
        needs,
        order: 0,
        live,
        loses: kind.loses?.(live),
      });
    }
    return rest.filter((each) => !doomed.includes(each)).map(({ fields }) => ({ kind: kind.name, key: titleOf(kind, fields) }));
  }

  /** Whether a record of the files names what would be deleted. */
  #isNeeded(kind: Kind, live: LiveRecord): boolean {
    const name = String(live.fields[kind.key[0] ?? '']);
    const isNamed = this.#names.some((each) =>
      this.#of(each).some(({ record }) =>
        referencesOf(kinds[each], record.fields).some((reference) => reference.kind === kind.name && reference.name === name),
      ),
    );
    if (isNamed)
      this.#held.push({ kind: kind.name, key: titleOf(kind, live.fields), reason: 'the files name it elsewhere, so it is not deleted' });
    return isNamed;
  }

  /** At the ceiling of the plan, agents are deleted before new ones are made. */
  #limitAgents(): void {
    const made = this.#drafts.filter(({ kind, action }) => kind === 'agents' && action === 'create');
    const doomed = this.#drafts.filter(({ kind, action }) => kind === 'agents' && action === 'delete');
    const over = (this.#live.rows.get('agents')?.length ?? 0) + made.length - this.#live.bounds.max_agents;
    const first = doomed.slice(0, Math.max(0, over));
    for (const creation of made) for (const deletion of first) if (!creation.needs.includes(deletion)) creation.needs.push(deletion);
  }

  /** What decides who answers: as it is, or as it will be. */
  #routing(isAfter: boolean): Routing {
    const state = (name: KindName): Fields[] => {
      if (!isAfter) return this.#liveOf(name).map(({ fields }) => fields);
      const gone = new Set(this.#drafts.filter(({ kind, action }) => kind === name && action === 'delete').map(({ id }) => id));
      const kept = this.#liveOf(name).filter(({ id }) => !gone.has(id));
      const matches = this.#names.includes(name) ? this.#of(name).filter(({ held }) => held === undefined) : [];
      const changed = new Map(matches.map(({ live, record }) => [live?.id, record.fields]));
      const fresh = matches.filter(({ live }) => !live).map(({ record }) => record.fields);
      return [...fresh, ...kept.map(({ id, fields }) => ({ ...fields, ...changed.get(id) }))];
    };
    const isActive = ({ active }: Fields) => active !== false;
    return {
      defaults: state('defaults'),
      rules: state('rules'),
      activeAgents: state('agents')
        .filter(isActive)
        .map(({ name }) => String(name)),
    };
  }
}

/** Whether a live record names another one already, so that nothing has to be found for it. */
function isUnchanged({ live, record }: Match, target: KindName, name: string): boolean {
  if (!live) return false;
  const changed = changedFields(record, live);
  return !referencesOf(kinds[record.kind], changed).some((each) => each.kind === target && each.name === name);
}

/** The fields of a record that differ from the live ones. */
export function changedFields({ fields }: Pick<FileRecord, 'fields'>, live: LiveRecord): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([field, value]) => !isSame(value, live.fields[field])));
}

function beforeOf(live: LiveRecord, after: Fields): Fields {
  return Object.fromEntries(Object.keys(after).map((field) => [field, live.fields[field] ?? null]));
}

/** Fields without those that are left out. */
function filled(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The field of a record that names another one. */
function fieldOf(kind: Kind, fields: Fields, target: KindName, name: string): string {
  const paths = Object.entries(kind.references ?? {}).filter(([, each]) => each === target);
  const named = paths
    .map(([path]) => path.split('.')[0] ?? '')
    .find((field) => JSON.stringify(fields[field] ?? null).includes(JSON.stringify(name)));
  return named ?? paths[0]?.[0] ?? '';
}

function releases({ kind, before, after }: Draft, name: KindName, { fields }: LiveRecord): boolean {
  const target = String(fields[kinds[name].key[0] ?? '']);
  const names = (value: Fields | null) => referencesOf(kinds[kind], value ?? {}).some((each) => each.kind === name && each.name === target);
  return names(before) && !names(after);
}

/** How far a change can be taken back. */
export function undoOf(kind: Kind, action: 'create' | 'update' | 'delete', after: Fields, live: LiveRecord | undefined): Undo {
  if (kind.name === 'templates' && after.submit === true) return 'none';
  if (kind.name === 'webhooks' && live?.fields.signing === true && (action === 'delete' || after.signing === false)) return 'partial';
  if (kind.isRemade && action !== 'create') return 'partial';
  if (action !== 'delete') return 'exact';
  if (kind.name === 'keys') return 'none';
  return kind.loses && live && kind.loses(live) !== undefined ? 'partial' : kind.name === 'webhooks' ? 'partial' : 'new_id';
}

/** Where names go around, one record takes a temporary name first. */
function breakCircles(drafts: readonly Draft[], kind: Kind, add: (draft: Draft) => void): void {
  const [field = ''] = kind.name === 'faqs' ? ['question'] : kind.key;
  const renames = drafts.filter(({ action, after }) => action === 'rename' && after !== null && field in after);
  const byOld = new Map(renames.map((draft) => [String(draft.before?.[field]), draft]));
  const done = new Set<Draft>();
  for (const start of renames) {
    const chain: Draft[] = [];
    for (let at: Draft | undefined = start; at && !done.has(at) && !chain.includes(at); at = byOld.get(String(at.after?.[field])))
      chain.push(at);
    for (const [index, draft] of chain.entries()) {
      done.add(draft);
      const next = chain[index + 1];
      // A name must be free before another record takes it.
      if (next) draft.needs.push(next);
    }
    const last = chain.at(-1);
    if (chain.length < 2 || !last || byOld.get(String(last.after?.[field])) !== chain[0]) continue;
    const [first] = chain;
    if (!first) continue;
    const temporary = temporaryName(String(first.after?.[field]));
    const step: Draft = {
      ...first,
      action: 'rename',
      after: { [field]: temporary },
      before: { [field]: first.before?.[field] },
      needs: [],
    };
    first.before = { ...first.before, [field]: temporary };
    last.needs.push(step);
    add(step);
  }
}
