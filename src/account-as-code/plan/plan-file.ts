import * as z from 'zod';
import { kindNames } from '../kind.ts';
import type { Plan } from './plan.ts';
import { type Fields, isFields, Secret, withReferences } from '../values.ts';

/** Thrown when a saved plan cannot be used. */
export class PlanError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PlanError';
  }
}

/** A plan as the JSON document that is saved, with references instead of secrets. */
export function planDocument(plan: Plan): Fields {
  const changes = plan.changes.map((change) => ({
    ...change,
    before: withReferences(change.before, plan.salt),
    after: withReferences(change.after, plan.salt),
  }));
  return { ...plan, changes };
}

const fields = () => z.record(z.string(), z.unknown());

const planSchema = () =>
  z.object({
    version: z.literal(1),
    account: z.string(),
    salt: z.string(),
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
 * @throws PlanError if it is not a plan, or a secret in the environment is missing or has changed
 */
export function readPlan(document: unknown, env: Readonly<Record<string, string | undefined>>): Plan {
  const parsed = planSchema().safeParse(document);
  if (!parsed.success) {
    const place = parsed.error.issues[0]?.path.join('.') ?? '';
    throw new PlanError(`it is not a plan of msgctl diff${place === '' ? '' : `: ${place} is wrong or missing`}`);
  }
  const { salt, changes } = parsed.data;
  const restore = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(restore);
    if (!isFields(value)) return value;
    if (typeof value['!env'] === 'string') return secretOf(value['!env'], value.digest, salt, env);
    if (typeof value['!secret'] === 'string') return new Digest(value['!secret'], salt);
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, restore(inner)]));
  };
  const restored = changes.map((change) => ({
    ...change,
    before: restore(change.before) as Fields | null,
    after: restore(change.after) as Fields | null,
  }));
  return { ...parsed.data, changes: restored };
}

function secretOf(name: string, digest: unknown, salt: string, env: Readonly<Record<string, string | undefined>>): Secret {
  const value = env[name];
  if (value === undefined) throw new PlanError(`it needs ${name} of the environment`);
  const secret = new Secret(value, name);
  if (secret.reference(salt).digest !== digest) throw new PlanError(`${name} of the environment changed since the plan was made`);
  return secret;
}

/** A secret of which only the digest is known. It equals any value with that digest. */
export class Digest extends Secret {
  readonly #digest: string;
  readonly #salt: string;

  constructor(digest: string, salt: string) {
    super('', null);
    this.#digest = digest;
    this.#salt = salt;
  }

  override equals(value: string): boolean {
    return new Secret(value, null).reference(this.#salt)['!secret'] === this.#digest;
  }

  override reference(): Fields {
    return { '!secret': this.#digest };
  }
}
