import { jsonSchema } from '../../contract/json-schema.ts';
import { schemaOfRecord } from './read.ts';
import { settingsSchema } from './settings.ts';
import { type Kind, kindNames } from '../kind.ts';
import { neededKey } from '../record-keys.ts';
import { kinds } from '../kinds.ts';

/** The JSON Schema of the files. Each kind is a definition, so that a file with a single record can refer to it. */
export function accountSchema(): Record<string, unknown> {
  const definitions = Object.fromEntries(kindNames.map((name) => [name, recordSchema(kinds[name])]));
  const settings = jsonSchema(settingsSchema(), 'input') as { properties: Record<string, unknown> };
  const values = Object.fromEntries(kindNames.map((name) => [name, valueSchema(kinds[name])]));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'The configuration of an account, for msgctl apply',
    type: 'object',
    properties: { ...settings.properties, campaign: { type: 'string', description: 'the campaign of the FAQs of this file' }, ...values },
    additionalProperties: false,
    // If the file does not set a campaign, each FAQ must.
    if: { required: ['campaign'] },
    else: { properties: { faqs: { items: { required: ['campaign'] } } } },
    $defs: definitions,
  };
}

/** The schema of what a file has under the name of a kind. A kind without a value is ignored. */
function valueSchema({ name, identity }: Kind): Record<string, unknown> {
  const record = { $ref: `#/$defs/${name}` };
  return identity.isOnly ? { anyOf: [record, { type: 'null' }] } : { type: ['array', 'null'], items: record };
}

/**
 * The schema of a record; its key is required. Omitted fields are not managed, so they have no defaults. The campaign of a FAQ
 * is not required here, because it can be set at the top of the file.
 */
function recordSchema(kind: Kind): Record<string, unknown> {
  const document = jsonSchema(schemaOfRecord(kind), 'input', false) as { required?: string[] };
  const needed = new Set([...(document.required ?? []), ...neededKey(kind)]);
  return { ...document, required: [...needed].filter((field) => field !== 'campaign') };
}
