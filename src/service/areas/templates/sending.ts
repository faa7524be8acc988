import { fillTemplate, type TemplateValues } from '../../../contract/areas/templates/fill.ts';
import { ApiError } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import type { Contact } from '../contacts/table.ts';
import { campaignOf, unreviewedChannel } from './records.ts';
import type { Template } from './table.ts';

/**
 * Fills a template for a contact.
 * @param given values by the names of variables; they win over the contact's
 * @returns the text, or the error: 400 that names the variables without a value, or says why the message cannot be sent
 */
export function writeMessage(template: Template, contact: Contact, given: TemplateValues = {}): string | ApiError {
  const { text, missing, flaw } = fillTemplate(template, given, contact);
  if (missing.length > 0)
    return new ApiError(400, `variables: no value for ${missing.map((name) => `'${name}'`).join(', ')}, and no default`);
  return flaw === undefined ? text : new ApiError(400, `variables: ${flaw}`);
}

/** What a message has of its template: its price, its campaign, and the channel of a send (rule templates.30). */
export async function ofTemplate(db: Db, template: Template) {
  const campaign = await campaignOf(db, template);
  const channel = campaign?.channel === unreviewedChannel ? unreviewedChannel : 'chatapp';
  return { template: { id: template.id, category: template.category }, campaignId: campaign?.id ?? null, channel } as const;
}
