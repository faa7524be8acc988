/**
 * The properties shared by all sandbox endpoints. The sandbox simulates what happens outside of the service: messages from
 * contacts, the passing of time.
 */
export const shared = { section: 'System', access: 'sandbox' } as const;
