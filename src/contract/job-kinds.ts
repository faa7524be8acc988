/** The kinds of background jobs. The sandbox can hold them (rule sandbox.25). */
export const jobKinds = [
  'webhook_delivery',
  'webhook_replay',
  'kb_import',
  'kb_delete',
  'kb_refresh',
  'faq_dedupe',
  'faq_search',
  'faq_generate',
  'agent_optimize',
  'agent_tags',
  'template_review',
  'broadcast',
  'session_end',
  'calendar_sync',
  'calendar_import',
  'comment_reply',
  'channel_charge',
  'daily_summary',
  'snapshot_apply',
  'plan_renewal',
  'scheduled_task',
  'chat_export',
  'widget_reply',
] as const;

export type JobKind = (typeof jobKinds)[number];
