import { fillTemplate, type TemplateValues } from '../../../contract/areas/templates/fill.ts';
import { ApiError, invalidField } from '../../errors.ts';
import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import type { Contact } from '../contacts/table.ts';
import { campaignOf, unreviewedChannel } from './records.ts';
import type { Template } from './table.ts';

/**
 * Fills a template for a contact.
 * @param businessName fills the variable `business_name` where nothing else does
 * @param given values by variable name; they take precedence over the contact's
 * @returns the text, or a 400 error that lists the variables without a value or explains why the message cannot be sent
 */
export function writeMessage(template: Template, contact: Contact, businessName: string, given: TemplateValues = {}): string | ApiError {
  const isNamed = String(given.business_name ?? '').trim() !== '';
  const values = isNamed ? given : { ...given, business_name: businessName };
  const { text, missing, flaw } = fillTemplate(template, values, contact);
  if (missing.length > 0) {
    const names = missing.map((name) => `'${name}'`).join(', ');
    return invalidField('variables', `no value for ${names}, and no default`, { reason: 'missing_variables', missing });
  }
  return flaw === undefined ? text : invalidField('variables', flaw);
}

/**
 * What a message inherits from its template: the price category, the campaign, and the channel for sending (rule templates.30).
 */
export async function ofTemplate(db: Db, template: Template) {
  const campaign = await campaignOf(db, template);
  const channel = campaign?.channel === unreviewedChannel ? unreviewedChannel : 'chatapp';
  return { template: { id: template.id, category: template.category }, campaignId: campaign?.id ?? null, channel } as const;
}

/** The name of the business, as templates say it. */
export function businessNameOf({ businessName, name }: Account): string {
  return businessName ?? name;
}
