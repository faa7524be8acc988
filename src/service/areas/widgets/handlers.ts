import { checkNotEmpty } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { createWidgetRecord, deleteWidgetRecord, updateWidgetRecord, widgetRecord } from './records.ts';
import { widgets } from './table.ts';

export const widgetHandlers: AreaHandlers<'widgets'> = {
  'widgets.list': async ({ db, account, page, service: { publicUrl } }) => {
    const { rows, next_cursor } = await page((before, limit) => widgets.list(db, account.id, before, limit));
    return { widgets: rows.map((row) => widgetRecord(row, publicUrl)), next_cursor };
  },

  'widgets.create': async ({ db, account, body, now, service: { publicUrl } }) => ({
    widget: widgetRecord(await createWidgetRecord(db, account, body, now), publicUrl),
  }),

  'widgets.get': async ({ db, account, params, service: { publicUrl } }) => ({
    widget: widgetRecord(await widgets.require(db, account.id, params.id), publicUrl),
  }),

  'widgets.update': async ({ db, account, params, body, now, service: { publicUrl } }) => {
    checkNotEmpty(body);
    return { widget: widgetRecord(await updateWidgetRecord(db, account, params.id, body, now), publicUrl) };
  },

  'widgets.delete': async ({ db, account, params }) => {
    await deleteWidgetRecord(db, account.id, params.id);
    return {};
  },
};
