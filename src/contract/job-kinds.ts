/** The kinds of background work that the control surface can hold (5/A2, /sandbox/jobs). */
export const jobKinds = [
  'webhook_delivery',
  'kb_import',
  'kb_delete',
  'kb_refresh',
  'faq_dedupe',
  'faq_search',
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
] as const;

export type JobKind = (typeof jobKinds)[number];
