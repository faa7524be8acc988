import { codeProblem } from './checks.ts';
import { renderTemplate } from './placeholders.ts';
import type { TemplateCategory } from './template.ts';

/** The fields of a contact that fill the variables of the same names (rule templates.28). */
const contactFields = ['first_name', 'last_name', 'email', 'company', 'phone_number'] as const;

/** The fields of a contact, or of a recipient who is not a contact yet, that a template can use. */
export type TemplateContact = { readonly [Field in (typeof contactFields)[number]]: string | null };

/** Values by the names of variables. */
export type TemplateValues = Readonly<Record<string, string | number>>;

/** A template as the contact would receive it. */
interface Filled {
  /** Variables without a value stay as they are. */
  readonly text: string;
  /** The variables that have neither a value nor a default. */
  readonly missing: readonly string[];
  /** Why it cannot be sent with these values, as a sentence without a full stop; undefined when it can be sent. */
  readonly flaw: string | undefined;
}

/** Fills a template for a contact. @param given values that take precedence over the contact's */
export function fillTemplate(
  { body, category }: { readonly body: string; readonly category: TemplateCategory },
  given: TemplateValues,
  contact: TemplateContact,
): Filled {
  const { text, missing, filled } = renderTemplate(body, (name) => valueOf(name, given, contact));
  const tooLong = filled.map(({ name, value }) => codeProblem(category, name, value)).find((problem) => problem !== undefined);
  return { text, missing, flaw: tooLong ?? (text.trim() === '' ? 'the message would be empty' : undefined) };
}

/** The value of a variable: the given value, or else the contact's. A blank text counts as missing. */
function valueOf(name: string, given: TemplateValues, contact: TemplateContact): string | null {
  const value = Object.hasOwn(given, name) ? String(given[name]) : '';
  if (value.trim() !== '') return value;
  const field = contactFields.find((each) => each === name);
  return field === undefined ? null : contact[field];
}
