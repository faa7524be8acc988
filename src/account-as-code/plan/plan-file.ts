import * as z from 'zod';
import { kindNames } from '../kind.ts';
import { Digests, type PlanKey } from './digests.ts';
import type { Change, Plan } from './plan.ts';
import { type Fields, hasSecrets, isFields, isOwnVariable, Secret, unknownSecret, withReferences } from '../values.ts';

/** Thrown when a saved plan cannot be used. */
export class PlanError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PlanError';
  }
}

/**
 * A plan as the JSON document that is saved, with references instead of secrets.
 * @param key is used only if the plan has secrets; without it, they have no digests, and the document cannot be applied
 * @throws the errors of the key
 */
export function planDocument(plan: Plan, key?: PlanKey): Fields {
  const isKeyed = key !== undefined && plan.changes.some(({ before, after }) => hasSecrets(before) || hasSecrets(after));
  const digests = isKeyed ? new Digests(key.keep()) : undefined;
  const changes = plan.changes.map((change) => {
    const digestOf = digests && ((value: string, field: string) => digests.of(change, field, value));
    return { ...change, before: withReferences(change.before, digestOf), after: withReferences(change.after, digestOf) };
  });
  return { ...plan, digest_key: digests?.keyId ?? null, changes };
}

const fields = () => z.record(z.string(), z.unknown());

const planSchema = () =>
  z.object({
    version: z.literal(1),
    account: z.string(),
    digest_key: z.string().nullable().optional(),
    changes: z.array(
      z.object({
        number: z.int().min(1),
        kind: z.enum(kindNames),
        key: z.string(),
        action: z.enum(['create', 'update', 'rename', 'delete', 'touch']),
        needs: z.array(z.int()),
        before: fields().nullable(),
        after: fields().nullable(),
        undo: z.enum(['exact', 'new_id', 'partial', 'none']),
        id: z.string().nullable(),
        name: fields(),
      }),
    ),
    kept: z.array(z.object({ kind: z.enum(kindNames), key: z.string() })),
    blocked: z.array(z.object({ kind: z.enum(kindNames), key: z.string(), reason: z.string() })),
    answers: z.array(
      z.object({ channel: z.string(), number: z.string().nullable(), before: z.string().nullable(), after: z.string().nullable() }),
    ),
    notes: z.array(z.string()),
    deletions: z.object({ count: z.int(), reasons: z.array(z.string()) }),
    rules: z.array(z.string()),
  });

/** Whether a JSON document is a plan. */
export function isPlan(document: unknown): boolean {
  return planSchema().safeParse(document).success;
}

/**
 * Parses a saved plan.
 * @throws PlanError if it is not a plan, a secret in the environment is missing or has changed, or the key of its digests is
 * missing
 */
export function readPlan(document: unknown, env: Environment, key: PlanKey): Plan {
  const parsed = planSchema().safeParse(document);
  if (!parsed.success) {
    const place = parsed.error.issues[0]?.path.join('.') ?? '';
    throw new PlanError(`it is not a plan of msgctl diff${place === '' ? '' : `: ${place} is wrong or missing`}`);
  }
  const { digest_key: keyId = null, changes, ...plan } = parsed.data;
  const digests = () => digestsFor(keyId, key);
  const restored = changes.map((change) => {
    const reader = new SecretReader(change, env, digests);
    return { ...change, before: reader.read(change.before), after: reader.read(change.after) };
  });
  return { ...plan, changes: restored };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The digests of a plan. @throws PlanError if their key is not known here */
function digestsFor(keyId: string | null, key: PlanKey): Digests {
  const known = key.find();
  const digests = known === undefined ? undefined : new Digests(known);
  if (digests?.keyId === keyId) return digests;
  throw new PlanError(
    'it contains digests of secrets, and this machine does not have their key: apply it on the machine that created it, or create it again with the ' +
      'same MSGCTL_PLAN_KEY in the environment of `msgctl diff` and `msgctl apply`',
  );
}

/** Reads the fields of a change in a saved plan, with secrets in place of references. */
class SecretReader {
  readonly #change: Pick<Change, 'kind' | 'name'>;
  readonly #env: Environment;
  readonly #digests: () => Digests;

  constructor(change: Pick<Change, 'kind' | 'name'>, env: Environment, digests: () => Digests) {
    this.#change = change;
    this.#env = env;
    this.#digests = digests;
  }

  /** @throws PlanError if a secret is missing or has changed */
  read(fields: Fields | null): Fields | null {
    return fields && Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, this.#restored(value, name)]));
  }

  #restored(value: unknown, field: string): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#restored(item, field));
    if (!isFields(value)) return value;
    if (typeof value['!env'] === 'string') return this.#ofEnvironment(value['!env'], value.digest, field);
    if (value['!secret'] === '') return unknownSecret;
    if (typeof value['!secret'] === 'string') {
      const digests = this.#digests();
      return new Digest(value['!secret'], (secret) => digests.of(this.#change, field, secret));
    }
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.#restored(inner, name)]));
  }

  #ofEnvironment(name: string, digest: unknown, field: string): Secret {
    if (isOwnVariable(name)) throw new PlanError(`it uses ${name}: the variables of msgctl itself cannot be used as values`);
    const value: unknown = this.#env[name];
    const digests = this.#digests();
    if (typeof value !== 'string') throw new PlanError(`it needs the environment variable ${name}, which is not set`);
    if (digests.of(this.#change, field, value) !== digest)
      throw new PlanError(`the environment variable ${name} has changed since the plan was created`);
    return new Secret(value, name);
  }
}

/** A secret of which only the digest is known. It equals any value with that digest. */
export class Digest extends Secret {
  readonly #digest: string;
  readonly #digestOf: (value: string) => string;

  constructor(digest: string, digestOf: (value: string) => string) {
    super('', null);
    this.#digest = digest;
    this.#digestOf = digestOf;
  }

  override equals(value: string): boolean {
    return this.#digestOf(value) === this.#digest;
  }

  override reference(): Fields {
    return { '!secret': this.#digest };
  }
}
