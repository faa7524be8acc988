import type { CredentialedCaller } from '../identity/caller.ts';

/** The bucket of a caller's own rate limit, with that limit. */
export function callerBucket(caller: CredentialedCaller): [bucket: string, limit: number] {
  const { id, plan } = caller.account;
  switch (caller.kind) {
    case 'main':
      return [mainKeyBucket(id), plan.key_requests_per_minute];
    case 'scoped':
      return [`key:${caller.keyId}`, caller.scopes.rate_limit_per_min];
    case 'member':
      return [`member:${caller.memberId}`, plan.key_requests_per_minute];
  }
}

/** The bucket of an account's main key. It stays the same when the key is rotated. */
export function mainKeyBucket(accountId: string): string {
  return `main:${accountId}`;
}

/** The bucket of an account's overall limit. */
export function accountBucket(accountId: string): string {
  return `account:${accountId}`;
}
