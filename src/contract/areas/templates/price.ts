import type { TemplateCategory } from './template.ts';

/** Prices in zone A, in credits. */
const credits: Readonly<Record<TemplateCategory, number>> = {
  utility: 1,
  authentication: 1,
  'authentication-international': 3,
  marketing: 2,
};

/**
 * The countries of zone A: the United States, Canada, the United Kingdom with the islands of its numbering plan, and the European
 * Union with its regions.
 */
const zoneA = new Set(
  'US CA GB GG IM JE AT AX BE BG CY CZ DE DK EE ES FI FR GF GP GR HR HU IE IT LT LU LV MF MQ MT NL PL PT RE RO SE SI SK YT'.split(' '),
);

/**
 * The price of sending a template, in credits (rules credits.33, credits.34).
 * @param country of the recipient's number, as ISO 3166-1; null when it is unknown
 */
export function templatePrice(category: TemplateCategory, country: string | null): number {
  return credits[category] * (country !== null && zoneA.has(country) ? 1 : 2);
}
