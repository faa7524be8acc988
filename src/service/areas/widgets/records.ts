import type { createWidget, updateWidget } from '../../../contract/areas/widgets/endpoints.ts';
import type { Body } from '../../../contract/endpoint.ts';
import { fold } from '../../../contract/text/fold.ts';
import { ApiError, invalidField, nameTaken } from '../../errors.ts';
import type { Account } from '../../identity/accounts.ts';
import { deletedAccounts } from '../../identity/deleted-accounts.ts';
import { newPublicId } from '../../identity/secrets.ts';
import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import { requireAgent } from '../agents/records.ts';
import { connectChannel, deleteChannel, disconnectChannel, findChannelStatus, renameChannel } from '../channels/records.ts';
import { type Widget, widgets } from './table.ts';

/** The AI replies of a new widget in a day of UTC. */
const defaultReplies = 200;

/** A widget as answers show it. @param publicUrl the address of public pages */
export function widgetRecord(widget: Widget, publicUrl: string) {
  const { created_at, updated_at, clicks, ...fields } = widgets.show(widget);
  const url = `${publicUrl}/w/${widget.public_id}`;
  const embed_code = `<script src="${url}/embed.js" async></script>`;
  return { ...fields, clicks: widget.kind === 'chat' ? null : clicks, page_url: url, embed_code, created_at, updated_at };
}

const taken = (name: string) => nameTaken(`A widget named '${name}' already exists`);

/**
 * Creates a widget. A chat that is enabled connects the channel `chat_widget` (rule widgets.10).
 * @throws ApiError 400 for fields of another kind, or a number that is not connected; 404 for an unknown agent; 409 for a taken name
 */
export async function createWidgetRecord(db: Db, account: Account, body: Body<typeof createWidget>, now: number): Promise<Widget> {
  const { kind = 'chat', ...fields } = body;
  await check(db, account.id, { ...fields, kind });
  const row = {
    title: account.businessName ?? account.name,
    daily_ai_replies: defaultReplies,
    ...widgets.read({ ...fields, kind }),
    folded_name: fold(body.name),
    public_id: newPublicId(),
  };
  const widget = await widgets.createUnless('on conflict (account_id, folded_name) do nothing', db, account.id, row, now);
  if (!widget) throw taken(body.name);
  await connect(db, undefined, widget, now);
  return widget;
}

/** Changes a widget. @throws as `createWidgetRecord`, and ApiError 404 when the account has no such widget */
export async function updateWidgetRecord(
  db: Db,
  account: Account,
  id: string,
  body: Body<typeof updateWidget>,
  now: number,
): Promise<Widget> {
  const before = await widgets.require(db, account.id, id);
  await check(db, account.id, { ...body, kind: before.kind }, before);
  const { name } = body;
  if (name !== undefined) await checkFree(db, account.id, id, name);
  const change = { ...widgets.read(body), ...(name !== undefined && { folded_name: fold(name) }) };
  const widget = await widgets.change(db, account.id, id, change, now);
  await connect(db, before, widget, now);
  return widget;
}

/** Deletes a widget with its visitors. Their contacts stay. @throws ApiError 404 when the account has no such widget */
export async function deleteWidgetRecord(db: Db, accountId: string, id: string): Promise<void> {
  const widget = await widgets.require(db, accountId, id);
  if (widget.kind === 'chat') await deleteChannel(db, accountId, 'chat_widget', id);
  await widgets.delete(db, accountId, id);
}

async function checkFree(db: Db, accountId: string, id: string, name: string): Promise<void> {
  const query = db.selectFrom('widgets').select('id').where('account_id', '=', accountId).where('folded_name', '=', fold(name));
  const other = await query.executeTakeFirst();
  if (other && other.id !== id) throw taken(name);
}

/** The fields that only a button has. */
const buttonFields = ['number', 'chat_url', 'prefilled_text'] as const;

async function check(
  db: Db,
  accountId: string,
  { kind, ...fields }: Body<typeof updateWidget> & { readonly kind: Widget['kind'] },
  before?: Widget,
): Promise<void> {
  for (const field of buttonFields) {
    const isGiven = (fields[field] ?? null) !== null;
    if (kind === 'chat' && isGiven) throw invalidField(field, 'belongs to a widget of the kind chatapp');
    if (kind === 'chatapp' && field !== 'prefilled_text' && !isGiven && !before)
      throw invalidField(field, 'is required for a widget of the kind chatapp', { reason: 'missing_field' });
  }
  if (fields.agent_id) await requireAgent(db, accountId, fields.agent_id);
  if (fields.number !== undefined && (await findChannelStatus(db, accountId, 'chatapp', fields.number)) !== 'connected')
    throw new ApiError(400, `number: ${fields.number} is not connected on chatapp`, { field: 'number' });
}

/** Connects, renames or disconnects the channel of a chat. Its identity there is the id of the widget. */
async function connect(db: Db, before: Widget | undefined, { id, account_id: accountId, kind, name, enabled }: Widget, now: number) {
  if (kind !== 'chat') return;
  if (enabled && !before?.enabled) await connectChannel(db, accountId, { channel: 'chat_widget', identity: id, name }, now);
  else if (!enabled && before?.enabled) await disconnectChannel(db, accountId, 'chat_widget', id);
  else if (name !== before?.name) await renameChannel(db, accountId, 'chat_widget', id, name);
}

/** Finds the widget of a page; undefined for an unknown one, and for one that is disabled. */
export async function findByPublicId(db: Db, publicId: string): Promise<Widget | undefined> {
  const [row] = await enabled(db, { publicId });
  return row && widgets.decode(row);
}

const enabled = prepared<{ publicId: string }, StoredRow<typeof widgets>>((db, $) =>
  db
    .selectFrom('widgets')
    .selectAll()
    .where('public_id', '=', $.publicId)
    .where('enabled', '=', 1)
    .where('account_id', 'not in', deletedAccounts(db)),
);

/** The agent of the chat that a visitor writes to; null for none (rule widgets.11). @param id the own identity on `chat_widget` */
export async function agentOfWidget(db: Db, accountId: string, id: string): Promise<string | null> {
  return (await widgets.find(db, accountId, id))?.agent_id ?? null;
}

/** Counts a click on a button, as those of short links are. */
export async function countClick(db: Db, id: string): Promise<void> {
  await db
    .updateTable('widgets')
    .set((eb) => ({ clicks: eb('clicks', '+', 1) }))
    .where('id', '=', id)
    .execute();
}
