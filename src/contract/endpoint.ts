import type * as z from 'zod';
import type { NamedError } from './errors.ts';
import type { Permission } from './permissions.ts';
import type { Feature } from './plan.ts';
import type { Section } from './sections.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The method of a request. Every GET endpoint answers HEAD too. */
export type RequestMethod = Method | 'HEAD';

/**
 * Who may call an endpoint:
 * - `public`: everyone, without a credential
 * - `any`: every valid credential, even a scoped key of other sections or accounts
 * - `account`: every credential, within the scopes of a scoped key
 * - `owner`: the main key, or the session of an owner
 * - `person`: the session of a member; a key answers 401
 * - `agency`: agencies, with the main key or a session
 * - `sandbox`: the sandbox token
 */
type Access = 'public' | 'any' | 'account' | 'owner' | 'person' | 'agency' | 'sandbox';

/** The schema of an object: of a body, a query or an answer. */
export type ObjectSchema = z.ZodObject;

/** Creates a schema. Schemas are created on first use, because creating all of them takes longer than a command. */
type LazySchema = () => ObjectSchema;

/** Limits of an answer. A client stops reading an answer that exceeds them. */
export interface AnswerLimits {
  readonly bytes: number;
  /** From the request to the end of the answer. */
  readonly milliseconds: number;
}

/** One endpoint of the interface. The service, the client, the command line and the documents all derive from it. */
export interface Endpoint {
  /** The area and the verb, as on the command line: `keys.rotate`. */
  readonly name: string;
  readonly method: Method;
  /** Relative to the version prefix, or to the server's root for sandbox endpoints. */
  readonly path: `/${string}`;
  readonly section: Section;
  readonly access: Access;
  /** The permission that a team member needs. Owners and keys need none. */
  readonly permission?: Permission;
  /** The fields of the body that only the main key and owners may send. */
  readonly ownerFields?: readonly string[];
  /** Whether only the main key and owners may call it. Unlike those of the access `owner`, it can act on a sub-account. */
  readonly isForOwners?: true;
  /** The feature that the plan of the acting account must include. */
  readonly feature?: Feature;
  /** Whether it is also served at the server's root, in addition to the path under the version prefix. */
  readonly alsoAtRoot?: true;
  readonly summary: string;
  readonly query?: LazySchema;
  /** Query parameters of related endpoints that this one refuses: to ignore them would answer another question. */
  readonly refusedQuery?: readonly string[];
  /** Whether it is about the caller and not about an account: `sub_account_id` is refused. */
  readonly isPersonal?: true;
  readonly body?: LazySchema;
  /** The body is raw bytes, up to this size. */
  readonly rawBodyBytes?: number;
  /** How much of an answer a client reads and how long it waits, for answers that can be larger or slower than usual. */
  readonly answerLimits?: AnswerLimits;
  /** Whether it answers events as `text/event-stream`, until its credential or its server ends. */
  readonly isStream?: true;
  /** Whether it answers a file, which is sent piece by piece, instead of JSON. */
  readonly isFile?: true;
  /** Whether an answer that is no page can have megabytes. */
  readonly hasLargeAnswer?: true;
  /** The field of the answer that holds the rows, for a paginated list. */
  readonly rows?: string;
  /** The success answer by its status. There is exactly one. It has the field `success` only if that can be false. */
  readonly responses: { readonly [status: number]: LazySchema };
  /** The status of success answers that differ from the usual one, and the condition for it. */
  readonly alsoAnswers?: { readonly status: number; readonly when: (answer: Readonly<Record<string, unknown>>) => boolean };
  /** Whether a request with this body changes nothing, although others to the endpoint do: a dry run sends it. */
  readonly changesNothing?: (body: Readonly<Record<string, unknown>>) => boolean;
  /** Whether a read-only key may not call it, although it is a read, because the answer shows a secret. */
  readonly showsSecret?: true;
  /** The errors of this endpoint, in addition to those that every endpoint has. */
  readonly errors?: readonly (number | NamedError)[];
}

/** The root path of the published interface. */
export const apiRoot = '/v1';

/** The root path of the sandbox. */
export const sandboxRoot = '/sandbox';

/** Whether a path from the server's root belongs to the sandbox. */
export function isSandboxPath(path: string): boolean {
  return path.startsWith(`${sandboxRoot}/`);
}

/** The path of an endpoint from the server's root, with its parameters in braces. */
export function fullPath({ path }: Pick<Endpoint, 'path'>): string {
  return isSandboxPath(path) ? path : apiRoot + path;
}

/** Declares an endpoint, keeping its literal types. */
export function endpoint<const Spec extends Endpoint>(spec: Spec): Spec {
  return spec;
}

type Braced<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Braced<Rest> : never;

/** The parameters in an endpoint's path. */
export type Params<E extends Endpoint> = { [Name in Braced<E['path']>]: string };

/** The parsed query of an endpoint. */
export type Query<E extends Endpoint> = E extends { query: () => infer Schema extends z.ZodType } ? z.output<Schema> : object;

/** The parsed body of an endpoint. */
export type Body<E extends Endpoint> = E extends { body: () => infer Schema extends z.ZodType } ? z.output<Schema> : object;

/** An endpoint's success answer, without `success`. */
export type Answer<E extends Endpoint> = E['responses'][keyof E['responses']] extends (() => infer Schema extends z.ZodType)
  ? z.output<Schema>
  : never;

/** The names of the parameters in a path such as `/tags/{id}`. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

/** Whether an endpoint changes a record and keeps the fields that the request omits. */
export function isUpdate({ method }: Endpoint): boolean {
  return method === 'PUT' || method === 'PATCH';
}

/** The status of an endpoint's usual success answer. */
export function successStatus(spec: Endpoint): number {
  for (const status in spec.responses) return Number(status);
  throw new Error(`${spec.name} declares no answer`);
}

const made = new WeakMap<LazySchema, ObjectSchema>();

/** Creates the schema on the first call. Later calls return the same one. */
export function schemaOf(lazy: LazySchema): ObjectSchema {
  let schema = made.get(lazy);
  if (!schema) made.set(lazy, (schema = lazy()));
  return schema;
}

/** The schema of an endpoint's success answer. */
export function answerSchema(spec: Endpoint): ObjectSchema {
  return schemaOf(spec.responses[successStatus(spec)] as LazySchema);
}

/** Where an endpoint reads `sub_account_id` from (rules conventions.74, conventions.75); null when it does not accept one. */
export function subAccountPlace(spec: Endpoint): 'query' | 'body' | null {
  if (spec.isPersonal) return null;
  if (spec.access === 'owner' || spec.access === 'agency' || spec.access === 'public' || spec.access === 'sandbox') return null;
  return spec.method === 'GET' || spec.method === 'DELETE' ? 'query' : 'body';
}

/** Whether an endpoint is a write (rule conventions.78). */
export function isWrite(spec: Endpoint): boolean {
  return spec.method !== 'GET';
}

/** Whether a read-only key may call an endpoint (rules credentials.30, credentials.42). */
export function isOpenToReaders(spec: Endpoint): boolean {
  return !isWrite(spec) && spec.showsSecret !== true;
}
