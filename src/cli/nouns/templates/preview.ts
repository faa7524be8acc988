import { isAuthentication, presetWording } from '../../../contract/areas/templates/authentication.ts';
import { getTemplate } from '../../../contract/areas/templates/endpoints.ts';
import { fillTemplate } from '../../../contract/areas/templates/fill.ts';
import { templatePrice } from '../../../contract/areas/templates/price.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { contactLookup, contactName } from '../../lookups/contacts.ts';
import { templateLookup } from '../../lookups/templates.ts';
import { terminalText } from '../../output/cell.ts';
import { counted } from '../../../contract/text/counted.ts';
import type { Result } from '../../output/result.ts';
import { messageText, missingLine } from './message-text.ts';
import { valuesFor } from './variables.ts';
import { samplePerson, sampleValues } from './people.ts';

/** Shows a template as a contact, or a made-up one, would receive it. */
export async function preview({ targets, names }: Session, [word = '']: readonly string[], options: Options): Promise<Result> {
  const client = await targets.client();
  const { template } = await client.call(getTemplate, { params: { templateId: await names.id(templateLookup, word) } });
  const named = options.contact as string | undefined;
  const contact = named === undefined ? null : await names.record(contactLookup, named);
  const person = contact ?? samplePerson;
  const given = valuesFor(template, options);
  const values = contact ? given : { ...sampleValues, ...given };
  const { id, name, language, category, status, variables } = template;
  const { text, missing } = fillTemplate(template, values, person);
  const preset = isAuthentication(category)
    ? fillTemplate({ body: presetWording(variables[0] ?? 'code'), category }, values, person).text
    : null;
  const credits = templatePrice(category, person.country);
  const record = { template_id: id, name, language, category, status, contact_id: contact?.id ?? null, text, preset, missing, credits };
  const elsewhere = contact === null ? ` in the US, Canada, the UK and the EU, ${templatePrice(category, null)} elsewhere` : '';
  const lines = [
    terminalText(
      `${name} (${language}), ${category}, ${status}: ${contact === null ? 'with sample values' : `to ${contactName(contact)}`}`,
    ),
    messageText(text),
    ...(preset === null ? [] : ['Contacts get the wording of the provider, with a button that copies the code:', messageText(preset)]),
    ...(missing.length === 0 ? [] : [missingLine(missing)]),
    `It costs ${counted(credits, 'credit')}${elsewhere}.`,
  ];
  return { kind: 'record', answer: record, record, text: `${lines.join('\n')}\n` };
}
