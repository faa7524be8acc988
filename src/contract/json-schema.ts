import * as z from 'zod';

/**
 * The JSON Schema of what is sent (`input`) or of what was read (`output`). Descriptions name what is so when a field is left
 * out.
 */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: describeUsual });
  return rest;
}

function describeUsual({ jsonSchema: written }: { jsonSchema: { description?: string; usual?: string } }): void {
  if (written.usual === undefined) return;
  written.description = `${written.description} (default: ${written.usual})`;
  delete written.usual;
}
