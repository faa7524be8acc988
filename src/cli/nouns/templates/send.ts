import type { Client } from '../../../client/client.ts';
import { InterfaceError } from '../../../client/errors.ts';
import { getTemplate, listTemplates, type sendTemplate } from '../../../contract/areas/templates/endpoints.ts';
import type { Body } from '../../../contract/endpoint.ts';
import { noRecordError } from '../../verb/names.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { toCliError } from '../../explain.ts';
import { capitalize } from '../../output/capitalize.ts';
import { contactLookup } from '../../lookups/contacts.ts';
import { defaultCountry } from '../../lookups/default-country.ts';
import { templateLookup } from '../../lookups/templates.ts';
import { variableHint } from './message-text.ts';
import { type Template, valuesFor } from './variables.ts';

type Message = Partial<Body<typeof sendTemplate>>;

/** Whether a word is the id of a template. Any other word is a name. */
function isTemplateId(word: string): boolean {
  return /^tpl_[\w-]{16}$/.test(word);
}

/** Whether a word can be a name followed by a language. */
function hasLanguage(word: string): boolean {
  return /\.[a-z]{2}(_[A-Z]{2})?$/.test(word);
}

/**
 * Finds a template by id, name, or name and language. If there are several, returns the newest approved one.
 * @throws CliError 5 if there is none
 */
export async function findTemplate(client: Client, word: string): Promise<Template> {
  const templateId = isTemplateId(word) ? word : await findNamed(client, word);
  return (await client.call(getTemplate, { params: { templateId } })).template;
}

async function findNamed(client: Client, word: string): Promise<string> {
  const { data } = await client.call(listTemplates, {});
  const named = data.filter(({ name }) => name === word);
  if (named.length === 0) named.push(...data.filter(({ name, language }) => `${name}.${language}` === word));
  const found = named.find(({ status }) => status === 'approved') ?? named[0];
  if (!found) throw noRecordError(templateLookup, word);
  return found.id;
}

/** Whether a word is a phone number, which needs no contact: one with a plus sign, or one of the default country of the account. */
async function isNumber(word: string, { targets }: Session): Promise<boolean> {
  if (word.startsWith('+')) return true;
  return /^[\d\s()./-]+$/.test(word) && (await defaultCountry(await targets.client())) !== null;
}

/**
 * The request body: the template, the recipient and the values of variables.
 * @returns also the template, if it had to be read
 * @throws CliError 2 if the template does not have a variable
 */
export async function messageOf(
  fields: Message,
  [word = '', recipient = '']: readonly (string | undefined)[],
  session: Session,
  options: Options,
): Promise<{ readonly message: Message; readonly template: Template | undefined }> {
  const { names, targets } = session;
  const isRead = options.var !== undefined || hasLanguage(word);
  const template = isRead ? await findTemplate(await targets.client(), word) : undefined;
  const values = { ...fields.variables, ...(template && valuesFor(template, options)) };
  const id = template?.id ?? (isTemplateId(word) ? word : undefined);
  const message = {
    ...(id === undefined ? { templateName: word } : { whatsappTemplateId: id }),
    ...((await isNumber(recipient, session)) ? { phoneNumber: recipient } : { contactId: await names.id(contactLookup, recipient) }),
    ...fields,
    ...(Object.keys(values).length > 0 && { variables: values }),
  };
  return { message, template };
}

/** Adds a hint to the error of a send if a variable has no value. */
export function withVariableHint(error: unknown): unknown {
  const said = toCliError(error);
  const { missing } = said.details;
  if (said.reason !== 'missing_variables' || !Array.isArray(missing)) return error;
  return said.with({
    ...(error instanceof InterfaceError && { message: capitalize(error.problem) }),
    hint: `${variableHint(missing)}; --dry-run shows the message.`,
  });
}
