import type { Client } from '../../../client/client.ts';
import { InterfaceError } from '../../../client/errors.ts';
import { getCampaign } from '../../../contract/areas/campaigns/endpoints.ts';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { numberFlaw } from '../../../contract/areas/contacts/phone-text.ts';
import { getCredits } from '../../../contract/areas/credits/endpoints.ts';
import type { sendTemplate } from '../../../contract/areas/templates/endpoints.ts';
import { fillTemplate } from '../../../contract/areas/templates/fill.ts';
import { templatePrice } from '../../../contract/areas/templates/price.ts';
import type { Body } from '../../../contract/endpoint.ts';
import { readFields } from '../../verb/fields.ts';
import { mergeInput } from '../../verb/input.ts';
import type { Options, Session, Verb } from '../../verb/noun.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { defaultCountry } from '../../lookups/default-country.ts';
import { type Contact, contactLookup, contactName } from '../../lookups/contacts.ts';
import { terminalText } from '../../output/cell.ts';
import { counted, digits } from '../../../contract/text/counted.ts';
import type { Result } from '../../output/result.ts';
import { readConnected } from '../../routing/connected.ts';
import { messageText, missingLine } from './message-text.ts';
import type { Person } from './people.ts';
import { findTemplate, messageOf } from './send.ts';
import type { Template } from './variables.ts';

type Message = Partial<Body<typeof sendTemplate>>;

/**
 * Shows what a send would do: the text, missing values, and the price. Only reads from the API and sends nothing. The exit code
 * is 1 if the service would refuse to send.
 */
export async function quote(
  session: Session,
  words: readonly string[],
  options: Options,
  { endpoint, fields = [], dryRunColumns = [] }: Verb,
): Promise<Result> {
  const given = endpoint ? (await readFields(endpoint, fields, options, session)).body : {};
  const said = await messageOf(given, words, session, options);
  const message = mergeInput(session.input, said.message) as Message;
  const client = await session.targets.client();
  const word = message.whatsappTemplateId ?? message.templateName ?? '';
  const template = said.template?.id === word ? said.template : await findTemplate(client, word);
  const { person, contact } = await findPerson(session, message);
  const { text, missing, flaw } = fillTemplate(template, message.variables ?? {}, person);
  const credits = templatePrice(template.category, person.country);
  const balance = (await orNull(client.call(getCredits, {})))?.balance ?? null;
  const problems = [
    ...(template.status === 'approved'
      ? []
      : [`The template is ${template.status === 'draft' ? 'a draft' : template.status}: only an approved one can be sent.`]),
    ...(contact?.do_not_disturb ? ['The contact has do-not-disturb turned on.'] : []),
    ...(contact?.private_mode ? ['The contact is in private mode.'] : []),
    ...(await channelProblems(client, template, person)),
    ...(missing.length === 0 ? [] : [missingLine(missing)]),
    ...(flaw === undefined ? [] : [`It cannot be sent: ${flaw}.`]),
    ...(balance !== null && balance < credits ? [`The balance of ${counted(balance, 'credit')} is too small.`] : []),
  ];
  const { id, name, language, category, status } = template;
  const to = contact ? contactName(contact) : `${person.phone_number}, a new contact`;
  const record = {
    ...{ template_id: id, name, language, category, status },
    ...{ to, contact_id: contact?.id ?? null, phone_number: person.phone_number, country: person.country },
    ...{ text, missing, credits, balance, problems },
  };
  const price = `${counted(credits, 'credit')}${balance === null ? '' : ` of a balance of ${digits(balance)}`}`;
  const lines = [
    terminalText(`${name} (${language}), ${category}, to ${to}${person.country === null ? '' : ` in ${person.country}`}`),
    messageText(text),
    ...problems,
    `It ${problems.length === 0 ? 'costs' : 'would cost'} ${price}. Nothing was sent.`,
  ];
  const exitCode = problems.length === 0 ? exitCodes.done : exitCodes.failed;
  return { kind: 'record', answer: record, record, columns: dryRunColumns, text: `${lines.join('\n')}\n`, exitCode };
}

/** Why a channel cannot reach somebody, as sentences. Empty if the key may not read channels. */
async function channelProblems(client: Client, template: Template, { phone_number: number }: Person): Promise<string[]> {
  const channel = await channelOf(client, template);
  const connected = await orNull(readConnected(client));
  return [
    ...(number === null ? [`The contact cannot be reached on ${channel}: it has no phone number.`] : []),
    ...(connected?.every((each) => each.channel !== channel) ? [`No ${channel} channel is connected.`] : []),
  ];
}

/** The channel on which a template is sent. */
async function channelOf(client: Client, { campaign_id: id }: Template): Promise<ChannelName> {
  const answer = id === null ? null : await orNull(client.call(getCampaign, { params: { id } }));
  return answer?.campaign.channel === 'chatapp_web' ? 'chatapp_web' : 'chatapp';
}

/** The recipient: a contact, or a number without a contact. @throws CliError 2 if the word is not a number */
async function findPerson(
  { names, targets }: Session,
  { contactId, phoneNumber, ...fields }: Message,
): Promise<{ person: Person; contact: Contact | null }> {
  if (phoneNumber === undefined) {
    const contact = await names.record(contactLookup, contactId ?? '');
    return { person: contact, contact };
  }
  const { readNationalNumber } = await import('../../../contract/areas/contacts/phone-numbers.ts');
  const phone = readNationalNumber(phoneNumber, await defaultCountry(await targets.client()));
  if (!phone) throw usageError(`'${phoneNumber}' ${numberFlaw(phoneNumber, 'is not')}`);
  try {
    const contact = await names.record(contactLookup, phone.number);
    return { person: contact, contact };
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== exitCodes.notFound) throw error;
  }
  const { firstName = null, lastName = null, email = null } = fields;
  const person = { first_name: firstName, last_name: lastName, email, company: null, phone_number: phone.number, country: phone.country };
  return { person, contact: null };
}

/** The response to a call; null if the key may not make it. */
async function orNull<Value>(answer: Promise<Value>): Promise<Value | null> {
  return await answer.catch((error: unknown) => {
    if (error instanceof InterfaceError && error.status === 403) return null;
    throw error;
  });
}
