import { type Address, identityKey } from '../../../../contract/areas/contacts/address.ts';
import { type ChannelName, numberChannels } from '../../../../contract/areas/channels/names.ts';
import type { Db } from '../../../store/database.ts';
import { findContactsByKey } from '../../contacts/records.ts';
import type { Person } from './conversations.ts';
import { channels, countries } from './names.ts';

/** Phone numbers are spread by a step that is coprime to their count, so that they look random and do not repeat. */
const numbers = { first: 2_000_000, count: 7_999_993, step: 7_919 } as const;

/** The number of addresses that are left out when one of them is in use. It doubles, because many in a row can be in use. */
const firstLeap = 4_000;

/** The channel that a person writes on. */
export function channelOf({ channel }: Pick<Person, 'channel'>): ChannelName {
  return (channels[channel] as (typeof channels)[number]).channel;
}

/** Chooses addresses that no contact of the account has. @returns them, and the index of the next address */
export async function chooseAddresses(db: Db, accountId: string, people: readonly Person[], next: number) {
  for (let [from, leap] = [next, firstLeap]; ; [from, leap] = [from + leap, leap * 2]) {
    const addresses = people.map((person, index) => addressOf(person, from + index));
    const keys = people.map((person, index) => identityKey(channelOf(person), addresses[index] as Address));
    if ((await findContactsByKey(db, accountId, keys)).size === 0) return { addresses, next: from + people.length };
  }
}

/** The phone number or account name of a person. @param index different for each contact */
function addressOf(person: Person, index: number): Address {
  if (!numberChannels.has(channelOf(person))) return { identity: `${person.firstName}.${person.lastName}.${index}`.toLowerCase() };
  const { country, code } = countries[person.country] as (typeof countries)[number];
  const number = `${code}${numbers.first + ((index * numbers.step) % numbers.count)}`;
  return { number, country, spellings: [number] };
}
