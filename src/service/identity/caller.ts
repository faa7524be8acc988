import type { Permission } from '../../contract/permissions.ts';
import type { Account } from './accounts.ts';
import type { Scopes } from './tables.ts';

/** Who calls for an account: the caller of a request, or the service itself where it applies a configuration to the account. */
export type Caller = CredentialedCaller | { readonly account: Account; readonly kind: 'service' };

/** The caller of a request. */
export type CredentialedCaller = { readonly account: Account } & (
  | { readonly kind: 'main'; readonly keyId: string; readonly keyPreview: string }
  | { readonly kind: 'scoped'; readonly keyId: string; readonly keyPreview: string; readonly scopes: Scopes }
  | {
      readonly kind: 'member';
      readonly memberId: string;
      /** Who it is, on whatever account. */
      readonly email: string;
      readonly isInvited: boolean;
      readonly role: 'owner' | 'member';
      readonly permissions: readonly Permission[];
    }
);

/** The credential in a request. */
export interface Credential {
  readonly kind: 'key' | 'token';
  readonly value: string;
}

/** The parts of a request that can carry a credential. */
interface Carrier {
  /** Returns a header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  readonly query: Readonly<Record<string, string>>;
}

const tokenShape = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Reads the credential of a request, sent in any of the four accepted ways (rule credentials.1); undefined when there is no
 * credential.
 */
export function readCredential({ header, query }: Carrier): Credential | undefined {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+)$/.exec(header('authorization')?.trim() ?? '') ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return { kind: tokenShape.test(value) ? 'token' : 'key', value };
    case 'basic': {
      const [user = '', password] = Buffer.from(value, 'base64').toString().split(/:(.*)/s);
      return password === '' ? { kind: 'key', value: user } : undefined;
    }
  }
  const key = header('x-api-key') || query.apiKey;
  return key ? { kind: 'key', value: key } : undefined;
}
