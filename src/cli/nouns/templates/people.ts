import type { TemplateContact } from '../../../contract/areas/templates/fill.ts';

/** Who gets a template. */
export interface Person extends TemplateContact {
  /** The country of the number, as ISO 3166-1, which decides the price; null when it is unknown. */
  readonly country: string | null;
}

/** Somebody whom no account has. */
export const samplePerson: Person = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'ada@example.com',
  company: 'Analytical Engines',
  phone_number: '+14155550123',
  country: 'US',
};

/** Values of the variables whose meaning is known, beside what a person has. */
export const sampleValues = { code: '123456', personal_context: 'we spoke about your next visit' };
