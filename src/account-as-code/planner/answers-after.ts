import { isSamePart, keyOf } from '../record-keys.ts';
import type { KindName } from '../kind.ts';
import { mapReferences } from '../references.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import type { Answerer, Change } from '../plan/plan.ts';
import { answererChanges, isRoutingRead, routingOf } from './routing.ts';
import type { Fields } from '../values.ts';

/** A record while changes are made to it. Its id is null when a change creates it. */
interface Changing {
  readonly id: string | null;
  readonly fields: Fields;
}

/** The channels on which somebody else answers after an undo or a saved plan; none where the account was not read for that. */
export function answerersAfter(changes: readonly Change[], live: Live): Answerer[] {
  if (!isRoutingRead(live)) return [];
  const renames = changes.filter(({ action }) => action === 'rename');
  const newNames = new Map(renames.map(({ kind, before, after }) => [`${kind}\0${String(before?.name)}`, after?.name]));
  const newName = (kind: KindName, name: unknown) => newNames.get(`${kind}\0${String(name)}`) ?? name;
  const recordsOf = (name: KindName) => live.records.get(name) ?? [];
  // An agent that is renamed has its new name in both, because it is the same one.
  const named = (kind: KindName, fields: Fields) => {
    const own = { ...fields, name: newName(kind, fields.name) };
    return mapReferences(kinds[kind], own, newName);
  };
  const before = routingOf((kind) => recordsOf(kind).map(({ fields }) => named(kind, fields)));
  const after = routingOf((kind) =>
    changes
      .filter((change) => change.kind === kind)
      .reduce<readonly Changing[]>(changed, recordsOf(kind))
      .map(({ fields }) => named(kind, fields)),
  );
  return answererChanges(before, after, live.channels);
}

function changed(records: readonly Changing[], { kind: name, id, action, name: key, after }: Change): readonly Changing[] {
  const kind = kinds[name];
  if (action === 'create') return [...records, { id: null, fields: after ?? {} }];
  const isRecord = (each: Changing) =>
    each.id === null || kind.identity.hasNewId === true
      ? keyOf(kind, each.fields) === keyOf(kind, key)
      : each.id === id && isSamePart(kind, each.fields, { ...each.fields, ...key });
  if (action === 'delete') return records.filter((each) => !isRecord(each));
  return records.map((each) => (isRecord(each) ? { ...each, fields: { ...each.fields, ...after } } : each));
}
