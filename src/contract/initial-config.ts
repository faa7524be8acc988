/** The settings of a new account, without those of billing; the others are null. */
export const initialConfig = { timezone: 'UTC', session_hours: 24 } as const;
