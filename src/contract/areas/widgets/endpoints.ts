import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { colour, distinctList, id, name, nextCursor, pageQuery, recordId, text, timestamp } from '../../fields.ts';
import { limits } from '../../limits.ts';
import { isSiteOrigin } from './origin.ts';
import { pageLanguage, pageLanguages } from './page-languages.ts';

/** The kinds of widgets: a chat on the page, or a button that opens the chat app. */
export const widgetKinds = ['chat', 'chatapp'] as const;

export const widgetPositions = ['right', 'left'] as const;

/** What a visitor can be asked before the first message. */
export const askedBefore = ['name', 'email', 'phone'] as const;

/** The colour of a widget that has no other. */
export const standardColour = '#2563eb';

/** The most sites of a widget. */
const originsMax = 50;

const widget = () =>
  z.object({
    id: recordId('wgt_'),
    kind: z.enum(widgetKinds).describe('a chat on the page, or a button that opens the chat app'),
    name: z.string().describe('the name of the widget'),
    agent_id: z.string().nullable().describe('the agent that answers; null when routing decides'),
    title: z.string().describe('what stands above the chat'),
    greeting: z.string().nullable().describe('what visitors read first'),
    colour: z.string().describe('the colour of the button and the heading'),
    position: z.enum(widgetPositions).describe('the side of the page at which the button is'),
    language: z.enum(pageLanguages).describe('the language of the page'),
    allowed_origins: z.array(z.string()).describe('the sites that may show it; none for all'),
    ask_before: z.array(z.enum(askedBefore)).describe('what visitors must tell before they write'),
    daily_ai_replies: z.int().nullable().describe('how many replies agents send in a day of UTC; null for no limit'),
    enabled: z.boolean().describe('whether its page is public'),
    number: z.string().nullable().describe('the number whose chat the button opens; null for a chat'),
    chat_url: z.string().nullable().describe('the address of that chat; null for a chat'),
    prefilled_text: z.string().nullable().describe('the text that stands in the chat app already'),
    public_id: z.string().describe('the last part of its address'),
    clicks: z.int().nullable().describe('how often the button was clicked; null for a chat'),
    page_url: z.string().describe('the address of its page'),
    embed_code: z.string().describe('the line to paste into a site'),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const isChatUrl = (value: string) =>
  /^https:\/\/[^\s\0/?#{}@]+[/?#][^\s\0]*$/i.test(value) && URL.canParse(value) && value.includes('{number}') && value.includes('{text}');

const fields = () => ({
  agent_id: id().nullable().optional().describe('the agent that answers; null when routing decides'),
  title: name().optional().meta({ description: 'what stands above the chat', defaultText: 'the name of the business' }),
  greeting: text(1_000).nullable().optional().describe('what visitors read first'),
  colour: colour().optional().meta({ description: 'the colour of the button and the heading', defaultText: standardColour }),
  position: z.enum(widgetPositions).optional().meta({ description: 'the side of the page at which the button is', defaultText: 'right' }),
  language: pageLanguage(),
  allowed_origins: distinctList(
    z.string().max(limits.nameLength).refine(isSiteOrigin, {
      error: 'must be an origin such as https://shop.example; http only on localhost and 127.0.0.1',
    }),
  )
    .max(originsMax)
    .optional()
    .describe('the sites that may show it; none for all'),
  ask_before: distinctList(z.enum(askedBefore)).optional().describe('what visitors must tell before they write'),
  daily_ai_replies: z
    .int()
    .min(0)
    .max(1_000_000)
    .nullable()
    .optional()
    .meta({ description: 'how many replies agents send in a day of UTC; null for no limit', defaultText: '200' }),
  enabled: z.boolean().optional().meta({ description: 'whether its page is public', defaultText: 'true' }),
  number: z.string().max(50).optional().describe('of a button: the connected number whose chat it opens'),
  chat_url: z
    .string()
    .max(limits.pageUrlLength)
    .refine(isChatUrl, { error: 'must be an https address with {number} and {text} after its host' })
    .optional()
    .describe('of a button: the address of that chat, https, with {number} and {text}'),
  prefilled_text: text(1_000).nullable().optional().describe('of a button: the text that stands in the chat app already'),
});

const shared = { section: 'Widgets', access: 'account' } as const;
const edit = { ...shared, permission: 'agents.edit' } as const;
const answer = { 200: () => z.object({ widget: widget() }) } as const;

export const listWidgets = endpoint({
  ...shared,
  name: 'widgets.list',
  method: 'GET',
  path: '/widgets',
  summary: 'List the widgets, newest first',
  query: () => z.object(pageQuery()),
  rows: 'widgets',
  responses: { 200: () => z.object({ widgets: z.array(widget()), next_cursor: nextCursor() }) },
});

export const createWidget = endpoint({
  ...edit,
  name: 'widgets.create',
  method: 'POST',
  path: '/widgets',
  summary: 'Create a widget for websites',
  body: () =>
    z.object({
      name: name().describe('the name of the widget'),
      kind: z
        .enum(widgetKinds)
        .optional()
        .meta({ description: 'a chat on the page, or a button that opens the chat app', defaultText: 'chat' }),
      ...fields(),
    }),
  responses: { 201: () => z.object({ widget: widget() }) },
  errors: [404, 409],
});

export const getWidget = endpoint({
  ...shared,
  name: 'widgets.get',
  method: 'GET',
  path: '/widgets/{id}',
  summary: 'Show a widget',
  responses: answer,
  errors: [404],
});

export const updateWidget = endpoint({
  ...edit,
  name: 'widgets.update',
  method: 'PUT',
  path: '/widgets/{id}',
  summary: 'Update a widget; its kind stays',
  body: () => z.object({ name: name().optional().describe('the name of the widget'), ...fields() }),
  responses: answer,
  errors: [404, 409],
});

export const deleteWidget = endpoint({
  ...edit,
  name: 'widgets.delete',
  method: 'DELETE',
  path: '/widgets/{id}',
  summary: 'Delete a widget, and end its chats',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const widgetEndpoints = [listWidgets, createWidget, getWidget, updateWidget, deleteWidget] as const;
