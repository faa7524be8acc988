import { definedFields } from '../../contract/defined-fields.ts';
import type { FileRecord } from './configuration.ts';
import { hasNames, type Kind, type LiveRecord } from '../kind.ts';
import { foldedName, referenceName, titleOf } from '../record-keys.ts';
import { referencesOf } from '../references.ts';
import { kinds } from '../kinds.ts';
import { type Fields, hiddenLike, pick } from '../values.ts';
import { hideAddresses } from '../plan/shown.ts';
import { untangleRenames } from './renames.ts';
import type { Matched } from './matched.ts';
import type { Draft } from './order.ts';
import { neededTouches } from './precedence.ts';
import { undoOf } from './undo-of.ts';

/** Collects the changes that make an account match the files. */
export class Drafts {
  readonly drafts: Draft[] = [];
  readonly #matched: Matched;
  readonly #unfinished: ReadonlySet<string>;
  readonly #creations = new Map<string, Draft>();

  /** @param unfinished ids of agents that an earlier run created but did not get to activate */
  constructor(matched: Matched, unfinished: ReadonlySet<string>) {
    this.#matched = matched;
    this.#unfinished = unfinished;
  }

  /** Adds the creations and updates of a kind. */
  write(kind: Kind): void {
    for (const { record, live, changed, blocked } of this.#matched.of(kind.name)) {
      if (blocked !== undefined) continue;
      if (live) this.#writeUpdate(kind, record, live, changed);
      else this.#writeCreation(kind, record);
    }
    const own = this.drafts.filter((draft) => draft.kind === kind.name);
    this.drafts.push(...untangleRenames(own, kind));
  }

  #writeCreation(kind: Kind, record: FileRecord): void {
    const { active, ...fields } = record.fields;
    const isActivated = kind.writing.isActivatedLast === true && active !== false;
    const after = isActivated ? fields : record.fields;
    const draft = this.#draft(kind, {
      action: 'create',
      id: null,
      before: null,
      after: definedFields(after),
      record,
      undo: undoOf(kind, 'create', after, undefined),
    });
    this.#creations.set(`${kind.name}\0${foldedName(kind, referenceName(kind, record.fields))}`, draft);
    if (isActivated) this.#activate(kind, record, null, true, draft);
  }

  /** Activates or deactivates a record after everything that it needs exists. */
  #activate(kind: Kind, record: FileRecord, id: string | null, active: boolean, creation?: Draft): void {
    const draft = this.#draft(kind, {
      action: 'update',
      id,
      before: { active: !active },
      after: { active },
      record,
      undo: 'exact',
    });
    draft.step = 6;
    if (creation) draft.needs.push(creation);
  }

  #writeUpdate(kind: Kind, record: FileRecord, live: LiveRecord, changed: Fields): void {
    const { active, ...rest } = changed;
    const { isActivatedLast } = kind.writing;
    const after = isActivatedLast ? rest : changed;
    const isRenamed = kind.identity.key.some((field) => field in after && !kind.identity.hasFixedName);
    if (Object.keys(after).length > 0) {
      const before = hideAddresses(kind, hiddenLike(beforeOf(live, after), after) as Fields);
      const undo = undoOf(kind, 'update', after, live);
      this.#draft(kind, { action: isRenamed ? 'rename' : 'update', id: live.id, before, after, record, undo, live });
    }
    const isLeft = record.fields.active === undefined && live.fields.active === false && this.#unfinished.has(live.id);
    if (isActivatedLast && (typeof active === 'boolean' || isLeft)) this.#activate(kind, record, live.id, active !== false);
  }

  #draft(kind: Kind, draft: Pick<Draft, 'action' | 'id' | 'before' | 'after' | 'undo' | 'live'> & { record: FileRecord }): Draft {
    const { record, ...rest } = draft;
    const { live } = draft;
    const needs = referencesOf(kind, draft.after ?? {}).flatMap(
      ({ kind: target, name }) => this.#creations.get(`${target}\0${foldedName(kinds[target], name)}`) ?? [],
    );
    const made: Draft = {
      ...rest,
      kind: kind.name,
      // A rule has no name, so what the files leave out is shown as it is live.
      key: titleOf(kind, hasNames(kind) ? record.fields : { ...live?.fields, ...record.fields }),
      name: pick(record.fields, kind.identity.key),
      step: kind.writing.step,
      needs,
      // Rules are written in reverse order, so that the first one in the files is updated last and wins.
      order: hasNames(kind) ? 0 : -this.#matched.of(kind.name).findIndex((each) => each.record === record),
    };
    this.drafts.push(made);
    return made;
  }

  /** Adds updates without changes to live rules, where that is needed to restore their order. @returns the number of updates */
  touchRules(): number {
    if (!this.#matched.names.includes('rules')) return 0;
    const inForce = this.#matched.of('rules').filter(({ blocked }) => blocked === undefined);
    const wanted = inForce.map(({ record, live, changed }) => ({
      fields: { ...live?.fields, ...record.fields },
      row: live?.row,
      isWritten: !live || Object.keys(changed).length > 0,
    }));
    const touches = neededTouches(wanted);
    for (const index of touches) {
      const { record, live } = inForce[index] ?? {};
      if (record && live) this.#draft(kinds.rules, { action: 'touch', id: live.id, before: {}, after: {}, record, undo: 'exact', live });
    }
    return touches.length;
  }
}

function beforeOf(live: LiveRecord, after: Fields): Fields {
  return Object.fromEntries(Object.keys(after).map((field) => [field, live.fields[field] ?? null]));
}
