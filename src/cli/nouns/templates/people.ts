import type { TemplateContact } from '../../../contract/areas/templates/fill.ts';

/** The recipient of a template. */
export interface Person extends TemplateContact {
  /** The country of the number (ISO 3166-1), which determines the price; null if unknown. */
  readonly country: string | null;
}

/** A made-up contact. */
export const samplePerson: Person = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'ada@example.com',
  company: 'Analytical Engines',
  phone_number: '+14155550123',
  country: 'US',
};

/** Sample values for variables with a known meaning that are not properties of a contact. */
export const sampleValues = { code: '123456', personal_context: 'we spoke about your next visit' };
