/** What all endpoints of the sandbox have. It simulates what happens outside of the service: messages of contacts, the passing of time. */
export const shared = { section: 'System', access: 'sandbox' } as const;
