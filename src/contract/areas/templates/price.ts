import type { TemplateCategory } from './template.ts';

/** Credits in zone A. */
const credits: Readonly<Record<TemplateCategory, number>> = {
  utility: 1,
  authentication: 1,
  'authentication-international': 3,
  marketing: 2,
};

/** The United States, Canada, the United Kingdom and the European Union. */
const zoneA = new Set('US CA GB AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '));

/**
 * The price of sending a template, in credits (rules credits.33, credits.34).
 * @param country of the recipient's number, as ISO 3166-1; null when it is unknown
 */
export function templatePrice(category: TemplateCategory, country: string | null): number {
  return credits[category] * (country !== null && zoneA.has(country) ? 1 : 2);
}
