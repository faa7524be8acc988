/** How urgent a notification is. */
export const severities = ['error', 'warning', 'info'] as const;

type Severity = (typeof severities)[number];

/** The kinds of notifications, with their severities. */
export const severityOfKind = {
  webhook_disabled: 'error',
  broadcast_failed: 'error',
  import_failed: 'error',
  channel_disconnected: 'error',
  scheduled_task_failed: 'error',
  export_failed: 'error',
  function_failing: 'error',
  people_alerted: 'warning',
  credits_low: 'warning',
  template_rejected: 'warning',
  plan_change_blocked: 'warning',
  widget_limit: 'warning',
  credits_recharged: 'info',
  broadcast_finished: 'info',
  template_approved: 'info',
  export_ready: 'info',
  appointment_booked: 'info',
} as const satisfies Record<string, Severity>;

export type NotificationKind = keyof typeof severityOfKind;

export const notificationKinds = Object.keys(severityOfKind) as [NotificationKind, ...NotificationKind[]];
