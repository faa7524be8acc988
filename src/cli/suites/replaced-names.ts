import { numberChannels } from '../../contract/areas/channels/names.ts';
import { escapeRegExp } from '../escape-reg-exp.ts';
import type { Contact } from '../lookups/contacts.ts';

/** What stands for a contact in a suite. */
const stand = { first_name: 'Alex', last_name: 'Example', company: 'Example Ltd', email: 'alex@example.com' } as const;

/** Numbers of telephones: not dates such as 2026-12-24, nor parts of ids. */
const numbers = /(?<![\w+-])(?!\d{4}-\d\d-\d\d)\+?\d(?:[\s./()-]{0,3}\d){6,}/g;
const addresses = /[^\s@<>"']+@[^\s@<>"']+\.[^\s@<>"'.,;:!?]+/g;

/** Replaces what could tell who a contact is. */
export class ReplacedNames {
  /** What was there and what stands for it, the longest first, because a name can be a part of another one. */
  readonly #known: readonly (readonly [text: string, by: string])[];

  constructor(contact: Contact) {
    const { phone_number: number, identity, channel } = contact;
    const given = Object.entries(stand).map(([field, by]) => [contact[field as keyof typeof stand]?.trim() ?? '', by] as const);
    const address = [number ?? identity ?? '', numberChannels.has(channel) ? '+14155550100' : 'alex.example'] as const;
    // A single letter tells nobody's name, and is a word of many texts.
    this.#known = [...given, address].filter(([text]) => text.length > 1).sort(([one], [other]) => other.length - one.length);
  }

  /** A text of the account, such as a greeting, without what is known of the contact: there names are spelled as they are known. */
  inReply(text: string): string {
    return this.#replace(text, 'gu');
  }

  #replace(text: string, flags: string): string {
    return this.#known.reduce(
      (left, [known, by]) => left.replace(new RegExp(`(?<![\\p{L}\\p{N}])${escapeRegExp(known)}(?![\\p{L}\\p{N}])`, flags), by),
      text,
    );
  }

  /** A text of the contact, without any number of a telephone or address of e-mail either. */
  inText(text: string): string {
    return (
      this.#replace(text, 'giu')
        .replace(addresses, stand.email)
        .replace(numbers, '+14155550100')
        // A suite would fill a variable in.
        .replaceAll('${', '$ {')
    );
  }

  /** A value such as the arguments of a call, with each text in it replaced. */
  inValue(value: unknown): unknown {
    if (typeof value === 'string') return this.inText(value);
    if (Array.isArray(value)) return value.map((each) => this.inValue(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.inValue(each)]));
  }

  /** The names that stand for those of the contact; none for those that it has not. */
  namesOf(contact: Contact): { readonly first_name?: string; readonly last_name?: string } {
    return {
      ...((contact.first_name ?? '') !== '' && { first_name: stand.first_name }),
      ...((contact.last_name ?? '') !== '' && { last_name: stand.last_name }),
    };
  }
}
