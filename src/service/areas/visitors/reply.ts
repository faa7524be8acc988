import { dayOf } from '../activity/counts.ts';
import { finishOnAccount } from '../activity/account-job.ts';
import type { Journal } from '../activity/journal.ts';
import { askLater } from '../inbound/ask-later.ts';
import { respondLater } from '../inbound/respond.ts';
import type { LaterTurn } from '../inbound/turn.ts';
import type { JobDefinition } from '../../jobs/job.ts';
import type { Db } from '../../store/database.ts';
import { type Widget, widgets } from '../widgets/table.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    widget_reply: LaterTurn & { readonly widgetId: string; readonly visitorId: string };
  }
}

declare module '../../drills/failpoint.ts' {
  interface FailpointNames {
    widget: (typeof widgetFailpoints)[number];
  }
}

/** After the job was leased; after a model was called; after the reply was written, before its transaction is committed. */
export const widgetFailpoints = ['widget.leased', 'widget.asked', 'widget.sending'] as const;

/**
 * Defines the jobs that reply to visitors. A model is called before the transaction that ends the job and sends the reply, so that a crash
 * neither loses nor repeats it.
 */
export const widgetReply: JobDefinition<'widget_reply'> = {
  run: async ({ accountId, payload }, parts) => {
    const { failpoint } = parts;
    const { widgetId, visitorId: _, ...later } = payload;
    failpoint('widget.leased');
    const answered = await askLater(parts, accountId, later, async (db, now) => {
      const widget = await widgets.find(db, accountId ?? '', widgetId);
      return !widget || !isSpent(widget, now);
    });
    failpoint('widget.asked');
    return finishOnAccount(accountId, async (db, journal) => {
      const widget = await widgets.find(db, journal.account.id, widgetId);
      const onSpent = widget && isSpent(widget, journal.now) ? () => tell(db, journal, widget) : undefined;
      const { reply } = await respondLater(db, journal, later, parts, answered, onSpent);
      if (widget && reply?.message.sender === 'ai') await countReply(db, widget, journal.now);
      failpoint('widget.sending');
    });
  },
  ended: ({ payload: { visitorId } }, { tellStreams }) => tellStreams(visitorId),
};

/** Whether the agents have sent as many replies in a widget as they may today (rule widgets.14). */
function isSpent({ daily_ai_replies: most, replies_day: day, replies }: Widget, now: number): boolean {
  return most !== null && (day === dayOf(now) ? replies : 0) >= most;
}

async function countReply(db: Db, widget: Widget, now: number): Promise<void> {
  const today = dayOf(now);
  await widgets.setColumns(db, widget, { replies_day: today, replies: (widget.replies_day === today ? widget.replies : 0) + 1 });
}

/** Tells the account once a day that the replies are used up. */
async function tell(db: Db, journal: Journal, widget: Widget): Promise<void> {
  const today = dayOf(journal.now);
  if (widget.told_day === today) return;
  await widgets.setColumns(db, widget, { told_day: today });
  journal.notify({
    kind: 'widget_limit',
    title: 'A chat has used up its replies of today',
    text: `'${widget.name}' hands its conversations over to people until tomorrow (UTC). Raise daily_ai_replies to let agents answer.`,
    entity: { type: 'widget', id: widget.id },
  });
}
