import { fillTemplate, type TemplateValues } from '../../../contract/areas/templates/fill.ts';
import { ApiError, invalidField } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import type { Contact } from '../contacts/table.ts';
import { campaignOf, unreviewedChannel } from './records.ts';
import type { Template } from './table.ts';

/**
 * Fills a template for a contact.
 * @param given values by variable name; they take precedence over the contact's
 * @returns the text, or a 400 error that lists the variables without a value or explains why the message cannot be sent
 */
export function writeMessage(template: Template, contact: Contact, given: TemplateValues = {}): string | ApiError {
  const { text, missing, flaw } = fillTemplate(template, given, contact);
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
