import { shellWord } from '../../output/shell-word.ts';

/** How another terminal can connect to a server. */
interface Reach {
  /** The name of the profile with its address and secrets. */
  readonly profile: string | undefined;
  /** Whether it serves the store that the profile `sandbox` uses. */
  readonly isDefaultStore: boolean;
  /** Whether the profile `sandbox` has a key for that store. */
  readonly isKeyKnown: boolean;
  readonly baseUrl: string;
}

/** A command that can be run unchanged in another terminal. */
export function nextStep({ profile, isDefaultStore, isKeyKnown, baseUrl }: Reach): string {
  if (profile !== undefined) return `msgctl whoami --profile ${shellWord(profile)}`;
  if (!isDefaultStore) return `msgctl login --profile dev --base-url ${shellWord(baseUrl)}`;
  return isKeyKnown ? 'msgctl whoami --profile sandbox' : 'msgctl sandbox accounts get --profile sandbox';
}
