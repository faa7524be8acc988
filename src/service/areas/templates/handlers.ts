import type { PhoneNumber } from '../../../contract/areas/contacts/phone-numbers.ts';
import { isAuthentication } from '../../../contract/areas/templates/authentication.ts';
import { variablesProblem } from '../../../contract/areas/templates/checks.ts';
import type { sendTemplate } from '../../../contract/areas/templates/endpoints.ts';
import { normalizeTemplate, variablesOf } from '../../../contract/areas/templates/placeholders.ts';
import type { Body } from '../../../contract/endpoint.ts';
import { iso } from '../../../contract/time/instants.ts';
import { ApiError, checkNotEmpty, notFound } from '../../errors.ts';
import { type AccountContext, type AreaHandlers, preparedHandler } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { withJournal } from '../activity/journal.ts';
import { campaigns } from '../campaigns/table.ts';
import { readNumber } from '../contacts/address.ts';
import { findContactAt, newContact } from '../contacts/records.ts';
import { contacts } from '../contacts/table.ts';
import { sendMessages } from '../messages/send.ts';
import { checkTemplatesEnabled, deleteOwnTemplates, providerOf } from './own-account.ts';
import {
  allTemplates,
  createTemplate,
  isInReview,
  requireApproved,
  requireApprovedByName,
  templateRecord,
  unreviewedChannel,
} from './records.ts';
import { syncOwnAccount } from './refresh.ts';
import { businessNameOf, ofTemplate, writeMessage } from './sending.ts';
import { problemError, submitTemplate } from './submission.ts';
import { type Template, templates } from './table.ts';

type Text = Pick<Template, 'body' | 'category'> & { readonly variables?: readonly string[] | undefined };

/** The stored form of a template's text. @throws ApiError 400 when the declared variables do not match the body */
function readText({ body, variables, category }: Text): Pick<Template, 'body' | 'variables'> {
  const problem = variablesProblem({ body, variables, category });
  if (problem) throw problemError(problem);
  return { body: normalizeTemplate(body), variables: variables ?? variablesOf(body) };
}

/** The new text of a template. A preview without variables keeps the variable of an authentication template. */
function rewritten({ category, variables: before }: Template, { body, variables }: Omit<Text, 'category'>): Text {
  const keepsVariable = variables === undefined && isAuthentication(category) && variablesOf(body).length === 0;
  return { body, category, variables: keepsVariable ? before : variables };
}

export const templateHandlers: AreaHandlers<'templates'> = {
  'templates.provider': async ({ account }) => providerOf(account),

  'templates.sync': async ({ db, account, now }) => {
    checkTemplatesEnabled(account);
    const { provider } = providerOf(account);
    const sync = () => withJournal(db, account, now, (journal) => syncOwnAccount(db, journal));
    const changed = provider === 'managed' ? { imported: 0, updated: 0 } : await sync();
    return { provider, ...changed, total: (await allTemplates(db, account.id)).length };
  },

  'templates.list': async ({ db, account }) => {
    const rows = await allTemplates(db, account.id);
    return { data: rows.map(({ id, name, status, language, body }) => ({ id, name, status, language, body })) };
  },

  'templates.get': async ({ db, account, params }) => ({
    template: templateRecord(await templates.require(db, account.id, params.templateId)),
  }),

  'templates.opening': async ({ db, account, body: { campaign_id, name, language, ...text }, now }) => {
    const fields = { campaign_id, name, language, ...readText({ ...text, category: 'marketing' }) };
    const campaign = await campaigns.require(db, account.id, campaign_id);
    if (campaign.channel !== 'chatapp' && campaign.channel !== unreviewedChannel)
      return { campaign_status: 'not_applicable', template_sid: null };
    checkTemplatesEnabled(account);
    const { status, sid } = await submitTemplate(db, account, await createTemplate(db, account.id, fields, now), now);
    return { campaign_status: status, template_sid: sid };
  },

  'templates.create': async ({ db, account, body: { status: wanted, campaign_id = null, ...body }, now }) => {
    const text = readText({ ...body, category: body.category ?? 'marketing' });
    if (campaign_id !== null) await campaigns.require(db, account.id, campaign_id);
    checkTemplatesEnabled(account);
    const draft = await createTemplate(db, account.id, { ...templates.read(body), ...text, campaign_id }, now);
    const { id, status } = wanted === 'submitted' ? await submitTemplate(db, account, draft, now) : draft;
    return { template_id: id, status };
  },

  'templates.update': async ({ db, account, params, body, now }) => {
    const { name, language, body: text, variables } = body;
    checkNotEmpty({ name, language, text, variables });
    const template = await templates.find(db, account.id, params.templateId);
    if (!template) {
      // The shape of a request is checked before its template is looked for.
      if (text !== undefined) readText({ body: text, variables, category: 'marketing' });
      throw notFound('template');
    }
    checkEditable(template);
    const isRewritten = text !== undefined || variables !== undefined;
    const change = isRewritten ? readText(rewritten(template, { body: text ?? template.body, variables })) : {};
    await templates.change(db, account.id, template.id, { ...templates.read({ name, language }), ...change }, now);
    return { template_id: template.id };
  },

  'templates.submit': async ({ db, account, params, now }) => {
    const template = await templates.require(db, account.id, params.templateId);
    checkEditable(template);
    const { id, status, sid } = await submitTemplate(db, account, template, now);
    return { template_id: id, status, sid };
  },

  'templates.status': async ({ db, account, params }) => {
    const template = await templates.require(db, account.id, params.templateId);
    const { id, name, status, sid, rejection_reason, updated_at: updatedAt } = template;
    return { template_id: id, name, status, sid, rejection_reason, date_updated: iso(updatedAt) };
  },

  'templates.delete': async ({ db, account, params }) => {
    const { id, sid } = await templates.require(db, account.id, params.templateId);
    await templates.delete(db, account.id, id);
    if (account.templateProvider === 'managed') return { template_id: id, note: managedNote };
    if (sid === null) return { template_id: id, note: draftNote };
    await deleteOwnTemplates(db, account.id, { id: sid });
    return { template_id: id, note: ownNote };
  },

  'templates.send': preparedHandler(
    async ({ account, body: { phoneNumber } }) =>
      phoneNumber === undefined ? undefined : await readNumber(phoneNumber, 'phoneNumber', account.defaultCountry),
    async (context, phone) => await send(context, phone),
  ),
};

const repoint = 'Campaigns and broadcasts that use it need another template.';
const draftNote = `The template was deleted here. It was never submitted to the provider. ${repoint}`;
const managedNote = `The template was deleted here. The provider of the managed connection keeps its copy. ${repoint}`;
const ownNote = `The template was deleted here and on the own account at the provider. ${repoint}`;

/** @throws ApiError 400 when the template is approved or in review */
function checkEditable(template: Template): void {
  if (template.status === 'approved') throw new ApiError(400, 'The template is approved: it is locked. Create another one');
  if (isInReview(template)) throw new ApiError(400, `The template is ${template.status}: wait until its review ends`);
}

type SendContext = AccountContext<typeof sendTemplate>;

/** @param phone the number to send to, unless the request has the id of a contact */
async function send({ db, account, body, now }: SendContext, phone: PhoneNumber | undefined) {
  const recipient = await findRecipient(db, account.id, body, phone, now);
  const template = await findTemplate(db, account.id, body);
  const text = writeMessage(template, recipient.contact, businessNameOf(account), body.variables);
  if (text instanceof ApiError) throw text;
  const message = { ...recipient, body: text, sender: 'automated', agentId: null, broadcastId: null } as const;
  const shared = await ofTemplate(db, template);
  const [sent] = await withJournal(db, account, now, (journal) => sendMessages(db, [{ journal, ...message, ...shared }]));
  if (sent === undefined || sent instanceof ApiError) throw sent ?? new Error('No outcome');
  return { message_id: sent.id, contact_id: sent.contact_id };
}

/** The contact to send to. An unknown number becomes a contact along with the message. @throws ApiError 404 */
async function findRecipient(db: Db, accountId: string, body: Body<typeof sendTemplate>, phone: PhoneNumber | undefined, now: number) {
  if (!phone) return { contact: await contacts.require(db, accountId, body.contactId as string), isNewContact: false };
  const known = await findContactAt(db, accountId, 'chatapp', phone);
  if (known) return { contact: known, isNewContact: false };
  const person = { firstName: body.firstName, lastName: body.lastName, email: body.email };
  return { contact: newContact(accountId, 'chatapp', phone, person, now), isNewContact: true };
}

/** @throws ApiError 404 for an unknown template, 400 for one that is not approved */
async function findTemplate(db: Db, accountId: string, { whatsappTemplateId: id, templateName: name }: Body<typeof sendTemplate>) {
  return id === undefined ? await requireApprovedByName(db, accountId, name as string) : await requireApproved(db, accountId, id);
}
