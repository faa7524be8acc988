/** How another terminal can reach a server. */
interface Reach {
  /** The profile that holds its address and secrets. */
  readonly profile: string | undefined;
  /** Whether it serves the store that the profile `sandbox` opens. */
  readonly isDefaultStore: boolean;
  /** Whether the profile `sandbox` has a key of that store. */
  readonly isKeyKnown: boolean;
  readonly baseUrl: string;
}

/** A command that works in another terminal as it is. */
export function nextStep({ profile, isDefaultStore, isKeyKnown, baseUrl }: Reach): string {
  if (profile !== undefined) return `msgctl whoami --profile ${profile}`;
  if (!isDefaultStore) return `msgctl login --profile dev --base-url ${baseUrl}`;
  return isKeyKnown ? 'msgctl whoami --profile sandbox' : 'msgctl sandbox accounts get --profile sandbox';
}
