/** The permissions of a team member (rules credentials.19, credentials.20). An owner has all of them. */
export const permissions = [
  'campaigns.view',
  'campaigns.edit',
  'billing.view',
  'integrations.edit',
  'team.edit',
  'contacts.view',
  'contacts.edit',
  'messages.send',
  'agents.edit',
  'knowledge.edit',
  'templates.edit',
  'appointments.edit',
  'analytics.view',
] as const;

export type Permission = (typeof permissions)[number];
