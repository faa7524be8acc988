/** The fields of a contact that fill the variables of the same names (rule templates.28). */
const contactFields = ['first_name', 'last_name', 'email', 'company', 'phone_number'] as const;

/** What a contact, or one who is not yet one, has for a template. */
export type TemplateContact = { readonly [Field in (typeof contactFields)[number]]: string | null };

/**
 * The value of a template's variable: what was given, or else what the contact has. A blank text counts as none.
 * @param given values by the names of variables
 */
export function templateValue(
  name: string,
  given: Readonly<Record<string, string | number>>,
  contact: TemplateContact | null,
): string | null {
  const value = Object.hasOwn(given, name) ? String(given[name]) : '';
  if (value.trim() !== '') return value;
  const field = contactFields.find((each) => each === name);
  return field === undefined || contact === null ? null : contact[field];
}
