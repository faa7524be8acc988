/** A part of the document. */
export type Json = Readonly<Record<string, unknown>>;

/** Names that say nothing without the operation that answers them. */
const vague: ReadonlySet<string> = new Set([
  'counts',
  'data',
  'days',
  'errors',
  'error',
  'items',
  'other_bucket',
  'pages',
  'records',
  'sections',
  'series',
  'skipped',
  'totals',
]);

/** Where an answer has a record. */
interface Place {
  /** The field: `contact`, or `contacts` for a list. */
  readonly field: string;
  readonly operation: string;
}

/**
 * Names the records of answers: `contact` and the rows of `contacts` are a Contact. Where answers have several records of that name,
 * one has it (see `rank`), and the others are named after their operation too.
 */
export class Components {
  readonly #schemas: Record<string, Json>;
  readonly #places = new Map<string, Place[]>();
  readonly #records = new Map<string, Json>();

  /** @param schemas the components of the document, to which the records are added */
  constructor(schemas: Record<string, Json>) {
    this.#schemas = schemas;
  }

  /** Notes the records of the answer of an operation. */
  note(operation: string, answer: { readonly properties?: Readonly<Record<string, Json>> }): void {
    for (const [field, schema] of Object.entries(answer.properties ?? {})) {
      const record = recordIn(schema);
      if (record === undefined) continue;
      const key = keyOf(record);
      this.#records.set(key, record);
      this.#places.set(key, [...(this.#places.get(key) ?? []), { field, operation }]);
    }
  }

  /** Names the records that were noted, and replaces them in parts of the document. */
  replaceIn(...parts: readonly object[]): void {
    const names = this.#names();
    for (const [key, name] of names) this.#schemas[name] = structuredClone(withoutDescription(this.#records.get(key) as Json));
    const references = new Map([...names].map(([key, name]) => [key, `#/components/schemas/${name}`]));
    // A record can hold others, but not itself.
    for (const part of [...[...names.values()].map((name) => this.#schemas[name] as Json), ...parts]) replace(part, references);
  }

  #names(): ReadonlyMap<string, string> {
    const byName = Map.groupBy(this.#places, ([, [place]]) => singular((place as Place).field));
    const taken = new Set(Object.keys(this.#schemas));
    const names = new Map<string, string>();
    const give = (key: string, name: string) => {
      taken.add(name);
      names.set(key, name);
    };
    for (const [noun, same] of byName) {
      const ranked = same.toSorted(([, one], [, other]) => rank(other) - rank(one));
      for (const [index, [key, [place]]] of ranked.entries()) {
        const { field, operation } = place as Place;
        const plain = pascalCase(noun);
        const isPlain = index === 0 && !vague.has(field) && !taken.has(plain);
        give(key, isPlain ? plain : pascalCase(operation) + plain);
      }
    }
    return names;
  }
}

/** How much a record deserves the plain name: as that of its own noun, then as what is shown or listed, then as what most answers have. */
function rank(places: readonly Place[]): number {
  const isOwn = places.some(({ field, operation }) => operation.startsWith(singular(field).replace(/y$/, '')));
  const isRead = (verb: string) => places.some(({ operation }) => operation.endsWith(verb));
  return (isOwn ? 10_000 : 0) + (isRead('.get') ? 2_000 : isRead('.list') ? 1_000 : 0) + places.length;
}

/** The record that a field of an answer is, or holds in a list; undefined if it holds none. */
function recordIn(schema: Json): Json | undefined {
  if (schema.type === 'array') return recordIn(schema.items as Json);
  const either = schema.anyOf as readonly Json[] | undefined;
  if (either) return either.map(recordIn).find((record) => record !== undefined);
  return Object.keys(schema.properties ?? {}).length > 0 ? schema : undefined;
}

/** Replaces the records in a part of the document, the outer ones first. What is said of one at its place stays there. */
function replace(part: object, references: ReadonlyMap<string, string>): void {
  for (const [name, inner] of Object.entries(part) as [string, unknown][]) {
    if (typeof inner !== 'object' || inner === null) continue;
    const { description } = inner as Json;
    const reference = 'properties' in inner ? references.get(keyOf(inner)) : undefined;
    if (reference === undefined) replace(inner, references);
    else (part as Record<string, unknown>)[name] = { $ref: reference, ...(description !== undefined && { description }) };
  }
}

/** What two records have in common that are the same, wherever they stand. */
function keyOf(record: Json): string {
  return JSON.stringify(withoutDescription(record));
}

function withoutDescription({ description: _, ...record }: Json): Json {
  return record;
}

function singular(field: string): string {
  if (field.endsWith('ies') && field !== 'series') return `${field.slice(0, -3)}y`;
  return /[^su]s$/.test(field) && field !== 'series' ? field.slice(0, -1) : field;
}

/** `ChatSession` for `chat_session` and `chat.session`. */
export function pascalCase(text: string): string {
  return text.replaceAll(/(?:^|[._-])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
