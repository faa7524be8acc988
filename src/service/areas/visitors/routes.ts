import * as z from 'zod';
import { limits } from '../../../contract/limits.ts';
import { email, filledText, id, name, pageQuery, text } from '../../../contract/fields.ts';
import { buttonPage, chatPage } from '../../../pages/html/chat-page.ts';
import { colourStyles, textOn } from '../../../pages/html/colour.ts';
import { textsIn } from '../../../pages/texts.ts';
import { notFound } from '../../errors.ts';
import { redirectAnswer, streamAnswer } from '../../http/answers.ts';
import { pageReader } from '../../http/cursors.ts';
import { Redirect } from '../../http/handler.ts';
import { jsonAnswer, pageAnswer, textAnswer } from '../../http/page-answers.ts';
import { assetText, pageAssets } from '../../http/page-assets.ts';
import { readJsonBody } from '../../http/public-input.ts';
import type { PublicRequest, PublicRoute } from '../../http/public-routes.ts';
import { parseWith } from '../../http/validation.ts';
import { digest, newSecret } from '../../identity/secrets.ts';
import { networkOf } from '../../network/addresses.ts';
import { countClick, findByPublicId } from '../widgets/records.ts';
import type { Widget } from '../widgets/table.ts';
import { listMessages, visitorMessageRecord } from './messages.ts';
import { visitorStream } from './stream.ts';
import { isUsedAnew, requireVisitor, storeUse } from './tokens.ts';
import { type Visitor, visitors } from './table.ts';
import { write } from './writing.ts';

/** The most characters of a message of a visitor, and the most streams of an address at a server (rule widgets.14). */
const messageLength = 4_000;
const streamsOfAddress = 50;

/** A request to the page of a widget. */
interface WidgetRequest extends PublicRequest {
  readonly widget: Widget;
}

type Answers = (request: WidgetRequest) => ReturnType<PublicRoute['answer']>;

/** A route of widgets. The widget is checked first (rule widgets.15). @param kind that the route is for; by default, all are */
function route(method: PublicRoute['method'], path: string, answer: Answers, kind?: Widget['kind']): PublicRoute {
  return {
    method,
    path: `/w/:publicId${path}`,
    answer: async (request) => {
      const { service, params } = request;
      const widget = await service.store.read((db) => findByPublicId(db, params.publicId ?? ''));
      if (!widget || (kind !== undefined && widget.kind !== kind)) throw notFound('widget');
      return await answer({ ...request, widget });
    },
  };
}

const pathOf = ({ public_id: publicId }: Widget) => `/w/${publicId}`;

/** The page of a widget. A site that may show it in a frame is one of its origins. */
const showPage: Answers = async ({ widget }) => {
  const html =
    widget.kind === 'chat'
      ? chatPage(pathOf(widget), widget, pageAssets('chat.css', 'chat.js'))
      : buttonPage(pathOf(widget), widget, pageAssets('page.css'));
  return pageAnswer(html, { ancestors: widget.allowed_origins.length > 0 ? widget.allowed_origins : ['*'] });
};

const showColours: Answers = async ({ widget }) => textAnswer('text/css; charset=utf-8', colourStyles(widget.colour));

/** The script that adds a widget to a site. What it needs of the widget stands before it, because another site could not ask for it. */
const embedScript: Answers = async ({ widget, service: { publicUrl } }) => {
  const { title, colour, position, language } = widget;
  const { openChat, closeChat } = textsIn(language);
  const settings = { url: publicUrl + pathOf(widget), title, colour, onColour: textOn(colour), position, language, openChat, closeChat };
  // A site can stand in HTML.
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c');
  return textAnswer('text/javascript; charset=utf-8', `(()=>{const settings=${json};\n${assetText('embed.js')}})();\n`, {
    'cache-control': 'public, max-age=300',
    'cross-origin-resource-policy': 'cross-origin',
  });
};

const publicSettings: Answers = async ({ widget }) => {
  const { kind, title, greeting, colour, position, language, ask_before } = widget;
  return jsonAnswer(200, { kind, title, greeting, colour, position, language, ask_before });
};

/** Opens the chat app. Link previews send HEAD, which does not count as a click. */
const openApp: Answers = async ({ widget, service, request }) => {
  if (request.method !== 'HEAD') await service.store.write((db) => countClick(db, widget.id), { accounts: [widget.account_id] });
  const { chat_url: url, number, prefilled_text: prefilled } = widget;
  const filled = (url ?? '')
    .replaceAll('{number}', () => encodeURIComponent(number ?? ''))
    .replaceAll('{text}', () => encodeURIComponent(prefilled ?? ''));
  return redirectAnswer(new Redirect(new URL(filled).href));
};

/** What a visitor can tell: what the widget asks for is required. */
function visitorSchema({ ask_before: asks }: Widget) {
  const phone = name(50).refine((value) => /^\+?(?:[ ()./-]*\d){4,}[ ()./-]*$/.test(value), { error: 'must be a phone number' });
  const fields = { name: name(), email: email(), phone };
  const optional = z.object(fields).partial();
  return optional.required(Object.fromEntries(asks.map((field) => [field, true])) as { name?: true });
}

const begin: Answers = async ({ widget, service, request, now }) => {
  service.publicLimits.count('visitors of an address', request.remoteAddress);
  const person: Partial<Pick<Visitor, 'name' | 'email' | 'phone'>> = parseWith(visitorSchema(widget), await readJsonBody(request), 'body');
  const token = newSecret('wvt_');
  const fields = {
    name: person.name ?? null,
    email: person.email ?? null,
    phone: person.phone ?? null,
    widget_id: widget.id,
    token: digest(token),
    contact_id: null,
    used_at: now,
  };
  await service.store.write(
    async (db) => {
      if (!(await findByPublicId(db, widget.public_id))) throw notFound('widget');
      await visitors.create(db, widget.account_id, fields, now);
    },
    { accounts: [widget.account_id] },
  );
  return jsonAnswer(201, { token });
};

const messageSchema = z.object({ text: filledText(messageLength), client_id: id().optional() });

const post: Answers = async ({ widget, service, request, now }) => {
  const { publicLimits, store, mediaLinks } = service;
  publicLimits.count('messages of an address', request.remoteAddress);
  const visitor = await store.read((db) => requireVisitor(db, widget.id, request, now));
  const written = parseWith(messageSchema, await readJsonBody(request), 'body');
  publicLimits.count('messages of a visitor', visitor.id);
  const message = await write(service, widget, visitor, written, now);
  service.jobs.wake();
  service.tellStreams(visitor.id);
  return jsonAnswer(201, { message: visitorMessageRecord(message, mediaLinks, now) });
};

/** The visitor of a request that reads, which uses the token too. */
async function readingVisitor({ widget, service: { store }, request, now }: WidgetRequest): Promise<Visitor> {
  const visitor = await store.read((db) => requireVisitor(db, widget.id, request, now));
  if (isUsedAnew(visitor, now)) await store.write((db) => storeUse(db, visitor, now), { accounts: [widget.account_id], isDurable: false });
  return visitor;
}

const list: Answers = async (context) => {
  const { widget, service, request, now } = context;
  const { store, cursorSecret, mediaLinks } = service;
  const visitor = await readingVisitor(context);
  const query = parseWith(z.object(pageQuery()), request.query, 'query');
  const page = pageReader({ name: 'widgets.messages' }, widget.account_id, { visitor: visitor.id }, query, cursorSecret);
  const { contact_id: contactId } = visitor;
  const { rows, next_cursor } = await page(async (before: number | undefined, limit) =>
    contactId === null ? [] : await store.read((db) => listMessages(db, contactId, before, limit)),
  );
  return jsonAnswer(200, { messages: rows.map((row) => visitorMessageRecord(row, mediaLinks, now)), next_cursor });
};

const streamSchema = z.object({ after: text(limits.nameLength).optional() });

const stream: Answers = async (context) => {
  const { widget, service, request } = context;
  const { remoteAddress: address } = request;
  const holder = address === undefined ? null : `address ${networkOf(address)}`;
  if (holder !== null) service.streams.checkRoom(holder, streamsOfAddress);
  const visitor = await readingVisitor(context);
  const query = parseWith(streamSchema, request.query, 'query');
  const opened = await service.streams.open({
    source: visitorStream,
    subject: visitor.id,
    holder: holder ?? visitor.id,
    most: streamsOfAddress,
    query: {},
    after: request.header('last-event-id') || query.after,
    since: 0,
    credential: widget.id,
    isAdmitted: async () => (await service.store.read((db) => findByPublicId(db, widget.public_id))) !== undefined,
  });
  if (request.method === 'HEAD') opened.end();
  return streamAnswer(opened);
};

/** The public routes of widgets. */
export const widgetRoutes: readonly PublicRoute[] = [
  route('GET', '', showPage),
  route('GET', '/embed.js', embedScript),
  route('GET', '/config.json', publicSettings),
  route('GET', '/go', openApp, 'chatapp'),
  route('GET', '/colours.css', showColours, 'chatapp'),
  route('POST', '/visitors', begin, 'chat'),
  route('POST', '/messages', post, 'chat'),
  route('GET', '/messages', list, 'chat'),
  route('GET', '/stream', stream, 'chat'),
];
