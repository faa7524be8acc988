import type { sendTemplate } from '../../../contract/areas/templates/endpoints.ts';
import type { Body } from '../../../contract/endpoint.ts';
import type { Options, Session } from '../../command/noun.ts';
import { CliError } from '../../errors.ts';
import { toCliError } from '../../explain.ts';
import { contactLookup } from '../../lookups/contacts.ts';
import { variableHint } from './message-text.ts';

type Message = Partial<Body<typeof sendTemplate>>;

/** Whether a word is the id of a template. Any other word is a name. */
export function isTemplateId(word: string): boolean {
  return /^tpl_[\w-]{16}$/.test(word);
}

/** Whether a word is a number, which needs no contact. */
export function isNumber(word: string): boolean {
  return word.startsWith('+');
}

/** The body of a send: the template and the recipient that words name, and the values of variables. */
export async function messageOf(
  fields: Message,
  [template = '', recipient = '']: readonly (string | undefined)[],
  { names }: Session,
  options: Options,
): Promise<Message> {
  const values = { ...fields.variables, ...(options.var as Record<string, string> | undefined) };
  return {
    ...(isTemplateId(template) ? { whatsappTemplateId: template } : { templateName: template }),
    ...(isNumber(recipient) ? { phoneNumber: recipient } : { contactId: await names.id(contactLookup, recipient) }),
    ...fields,
    ...(Object.keys(values).length > 0 && { variables: values }),
  };
}

/** An error of a send, with what to do when a variable has no value. */
export function withVariableHint(error: unknown): unknown {
  const said = toCliError(error);
  const [, names] = /^variables: no value for (.+), and no default$/.exec(said.message) ?? [];
  if (names === undefined) return error;
  const { exitCode, code, message, status, errorCode, details } = said;
  const missing = [...names.matchAll(/'([^']+)'/g)].map(([, name = '']) => name);
  return new CliError(exitCode, code, message.replace('variables: n', 'N'), {
    hint: `${variableHint(missing)}; --dry-run shows the message.`,
    ...(status !== undefined && { status }),
    ...(errorCode !== undefined && { errorCode }),
    details,
  });
}
