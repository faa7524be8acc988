import { phoneNumber, type TestAccount } from '../support/accounts.ts';
import { type Driven, drive, requestText } from './connections.ts';

/** Number of concurrent requests per server. */
const connections = 64;

/** The first phone number that no import uses. */
let made = 1_000_000;

/** Sends messages from several accounts, each to a number that is not a contact yet. */
export function sendToNewContacts(ports: readonly number[], accounts: readonly TestAccount[], count: number): Promise<Driven> {
  let left = count;
  return drive(ports, connections * ports.length, (connection) => {
    if (left-- <= 0) return null;
    // The connections of each account are spread over all servers.
    const account = accounts[Math.floor(connection / ports.length) % accounts.length];
    const body = { channel: 'chatapp', phone_number: phoneNumber(made++), body: 'Your table is ready.' };
    return requestText('POST', '/v1/contacts/send', account?.key ?? '', body);
  });
}
