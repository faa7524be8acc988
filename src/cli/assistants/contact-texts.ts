import { isRow } from '../output/result.ts';

/** The fields with texts that contacts write, or that are made of such texts, wherever they stand in a result. */
const fields: ReadonlySet<string> = new Set([
  'answer_given',
  'body',
  'caption',
  'company',
  'contactName',
  'contact',
  'contact_name',
  'detail',
  'email',
  'first_name',
  'identity',
  'label',
  'last_message',
  'last_name',
  'name',
  'note',
  'notes',
  'question',
  'questions',
  'request_body',
  'response_body',
  'subject',
  'summary',
  'text',
  'title',
  'transcript',
  'username',
  'wordings',
]);

/** The paths of the texts in a result that a contact can have written: `messages[].body`. They are data, whatever they say. */
export function contactTexts(document: unknown): readonly string[] {
  const found = new Set<string>();
  visit(document, '', found);
  return [...found].toSorted();
}

function visit(value: unknown, path: string, found: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) visit(item, `${path}[]`, found);
  else if (isRow(value))
    for (const [name, inner] of Object.entries(value)) {
      const own = path === '' ? name : `${path}.${name}`;
      const isText = typeof inner === 'string' || (Array.isArray(inner) && inner.every((item) => typeof item === 'string'));
      if (!isText) visit(inner, own, found);
      else if (fields.has(name) && inner.length > 0) found.add(Array.isArray(inner) ? `${own}[]` : own);
    }
}
