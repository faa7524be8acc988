import { keyOf } from '../record-keys.ts';
import { hasNames, type KindName } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Run } from '../run/journal.ts';
import { idText } from '../run/runs.ts';
import { type Fields, hasSecrets, withSecrets } from '../values.ts';

/** The fields that runs wrote from secrets, such as environment variables. In later runs their values are secret too. */
export class SecretFields {
  /** By the id and by the key of the record. */
  readonly #written = new Map<string, Fields[]>();

  constructor(runs: readonly Run[]) {
    for (const { intents, outcomes } of runs)
      for (const { kind, id, name, number, after } of intents) {
        const fields = withSecrets(after ?? {}) as Fields;
        if (!hasSecrets(fields)) continue;
        for (const known of [id, outcomes.get(number)?.id]) if (known) this.#add(idText(kind, known), fields);
        // Records without names share an empty key.
        if (hasNames(kinds[kind])) this.#add(keyText(kind, name), fields);
      }
  }

  /** The secret fields of a record, in any of its states. */
  of({ kind, id, name }: { readonly kind: KindName; readonly id: string | null; readonly name: Fields }): readonly Fields[] {
    return [...(this.#written.get(keyText(kind, name)) ?? []), ...(id === null ? [] : (this.#written.get(idText(kind, id)) ?? []))];
  }

  #add(record: string, fields: Fields): void {
    this.#written.set(record, [...(this.#written.get(record) ?? []), fields]);
  }
}

function keyText(kind: KindName, name: Fields): string {
  return `${kind}\0key\0${keyOf(kinds[kind], name)}`;
}
