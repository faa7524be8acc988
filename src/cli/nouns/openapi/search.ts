import { endpoints } from '../../../contract/endpoints.ts';
import { openApiDocument } from '../../../contract/openapi.ts';

/** An endpoint that was found. */
interface FoundEndpoint {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly operation: string;
  /** The JSON Schema of its body; null without one. */
  readonly request: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { readonly name?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: { readonly properties?: object } }>> };
}

/** The endpoints in which all words occur; first those that have them in their name, then in their path or summary. `createTag` is two words. */
export function searchEndpoints(text: string): readonly FoundEndpoint[] {
  const words = text
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean);
  const has = (where: string) => words.every((word) => where.toLowerCase().includes(word));
  const found = operations().flatMap(([method, path, { operationId, summary, parameters = [], requestBody }]) => {
    const request = requestBody?.content['application/json']?.schema ?? null;
    const title = `${method} ${path} ${summary} ${operationId}`;
    const fields = [...parameters.map(({ name }) => name ?? ''), ...Object.keys(request?.properties ?? {})].join(' ');
    const place = [operationId, title, `${title} ${fields}`].findIndex(has);
    return place < 0 ? [] : [{ place, endpoint: { method, path, summary, operation: operationId, request } }];
  });
  return found.toSorted((one, other) => one.place - other.place).map(({ endpoint }) => endpoint);
}

function operations(): [method: string, path: string, operation: Operation][] {
  const { paths } = openApiDocument(endpoints) as { paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]): [string, string, Operation][] =>
      'operationId' in operation ? [[method.toUpperCase(), path, operation]] : [],
    ),
  );
}
