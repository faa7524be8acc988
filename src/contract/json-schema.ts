import * as z from 'zod';

/** A part of a JSON Schema, with the default that its field has in the contract. */
interface Described {
  description?: string;
  defaultText?: string;
}

/**
 * The JSON Schema of what is sent (`input`) or of what was read (`output`). Descriptions name the defaults of fields.
 * @param hasDefaults false for an update, which leaves alone what it is not given
 */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output', hasDefaults = true): Record<string, unknown> {
  const override = ({ jsonSchema: written }: { jsonSchema: Described }) => {
    if (written.defaultText !== undefined && hasDefaults) written.description = `${written.description} (default: ${written.defaultText})`;
    delete written.defaultText;
  };
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override });
  return rest;
}
