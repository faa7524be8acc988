import { invalidField } from '../errors.ts';

/** A dotted key of an update, such as `availability.monday`, with its value. */
export interface DottedField<Root extends string> {
  readonly root: Root;
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The maximum depth of a dotted key. */
const pathMax = 16;

/**
 * Reads the dotted keys of an update. Keys into fields that cannot be set are ignored.
 * @param settable the names of the fields that can be set
 * @param objects the names of settable fields that are objects
 * @throws ApiError 400 for a key into a settable field that is not an object, or an invalid path
 */
export function readDotted<Root extends string>(
  body: object,
  settable: ReadonlySet<string>,
  objects: readonly Root[],
): DottedField<Root>[] {
  const dotted = Object.entries<unknown>({ ...body }).filter(([key]) => key.includes('.') && settable.has(key.split('.')[0] ?? ''));
  return dotted.map(([key, value]) => {
    const [name, ...path] = key.split('.');
    const root = objects.find((each) => each === name);
    if (root === undefined) throw invalidField(key, `${name} is not an object, so it can be set only as a whole`);
    // `__proto__` is not a field: schemas drop it.
    if (path.some((part) => part === '' || part === '__proto__') || path.length > pathMax)
      throw invalidField(key, 'is not the path of a field');
    return { root, path, value };
  });
}

/**
 * Sets a part of a field. Creates missing objects on the path.
 * @returns a copy of the field
 * @throws ApiError 400 when something on the path is not an object
 */
export function withDotted(target: unknown, { root, path, value }: DottedField<string>): object {
  return setIn(target ?? {}, path, value, root);
}

function setIn(target: unknown, [name = '', ...rest]: readonly string[], value: unknown, place: string): object {
  if (typeof target !== 'object' || target === null || Array.isArray(target)) throw invalidField(place, 'is not an object');
  const inner = Object.hasOwn(target, name) ? (target as Record<string, unknown>)[name] : undefined;
  return { ...target, [name]: rest.length === 0 ? value : setIn(inner ?? {}, rest, value, `${place}.${name}`) };
}
