import { phoneNumber, type TestAccount } from '../support/accounts.ts';
import { type Driven, drive, requestText } from './connections.ts';

/** The number of requests at a time, for each server. */
const connections = 64;

/** The first number that is not used by an import. */
let made = 1_000_000;

/** Sends messages of several accounts, each to a number that is no contact yet. */
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
