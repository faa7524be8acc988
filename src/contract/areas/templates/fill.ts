import { isAuthentication } from './authentication.ts';
import { codeProblem } from './checks.ts';
import { renderTemplate, variablesOf } from './placeholders.ts';
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

/** A template that is filled. */
interface FilledTemplate {
  readonly body: string;
  readonly category: TemplateCategory;
  readonly variables?: readonly string[];
}

/** Fills a template for a contact. @param given values that take precedence over the contact's */
export function fillTemplate({ body, category, variables = [] }: FilledTemplate, given: TemplateValues, contact: TemplateContact): Filled {
  const { text, missing: missingInBody, filled: filledInBody } = renderTemplate(body, (name) => valueOf(name, given, contact));
  // The preview of an authentication template need not name its variable, which is filled all the same.
  const unnamed = isAuthentication(category) ? variables.filter((name) => !variablesOf(body).includes(name)) : [];
  const values = unnamed.map((name) => ({ name, value: valueOf(name, given, contact) }));
  const missing = [...missingInBody, ...values.flatMap(({ name, value }) => (value === null ? [name] : []))];
  const filled = [...filledInBody, ...values.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]))];
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
