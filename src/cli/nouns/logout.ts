import type { Noun, Session } from '../command/command.ts';
import { usageError } from '../errors.ts';
import { noProfile, sandboxName } from '../profiles/profiles.ts';
import type { Result } from '../output/result.ts';

/** Forgets the key of a profile. */
async function logOut({ targets, world, globals, notes }: Session): Promise<Result> {
  const { profiles } = targets;
  const name = globals.profile ?? (world.env.MSGCTL_PROFILE || undefined) ?? profiles.current();
  if (name === null) throw usageError('No profile is in use', 'Name one with --profile; `msgctl profiles list` shows them.');
  if (name === sandboxName) throw usageError("The profile 'sandbox' is built in: there is nothing to log out of");
  const profile = profiles.find(name);
  if (!profile) throw noProfile(name, profiles.names());
  await profiles.update(name, { api_key: undefined, sub_account_id: undefined });
  notes.say(
    profile.api_key === undefined
      ? `The profile '${name}' had no key.`
      : `The profile '${name}' has no key any more. The key itself still works: \`msgctl keys\` revokes keys.`,
  );
  const record = { profile: name, base_url: profile.base_url, logged_out: true };
  return { kind: 'record', answer: record, record };
}

export const logout: Noun = {
  name: 'logout',
  summary: 'Forget the API key of a profile',
  verbs: [
    {
      name: '',
      summary: 'Forget the API key of a profile',
      examples: [
        ['msgctl logout', 'of the profile in use'],
        ['msgctl logout --profile work', 'of another'],
      ],
      shown: { columns: ['profile', 'base_url', 'logged_out'] },
      run: logOut,
    },
  ],
};
