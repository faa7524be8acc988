import type { Noun, Session } from '../verb/noun.ts';
import { usageError } from '../errors.ts';
import { flagOrVariable } from '../global-options.ts';
import type { Result } from '../output/result.ts';
import { sandboxName } from '../profiles/profiles.ts';

/** Removes the key, the sandbox token and the selected sub-account from a profile. */
async function logOut({ targets, world, globals, notes }: Session): Promise<Result> {
  const { profiles } = targets;
  const name = flagOrVariable(globals.profile, world.env, 'MSGCTL_PROFILE') ?? profiles.current();
  if (name === null) throw usageError('No profile is in use', 'Name one with --profile; `msgctl profiles list` lists them.');
  if (name === sandboxName) throw usageError("The built-in profile 'sandbox' has no login");
  const profile = profiles.require(name);
  await profiles.update(name, { api_key: undefined, sandbox_token: undefined, sub_account_id: undefined });
  const removed = [profile.api_key && 'the key', profile.sandbox_token && 'the sandbox token'].filter(Boolean).join(' and ');
  const consequence = 'The key itself still works. To revoke it, use the app or the main key.';
  if (removed === '') notes.say(`The profile '${name}' had no key.`);
  else notes.say(`Removed ${removed} from the profile '${name}'.${profile.api_key ? ` ${consequence}` : ''}`);
  const record = { profile: name, base_url: profile.base_url, logged_out: true };
  return { kind: 'record', answer: record, record };
}

export const logout: Noun = {
  name: 'logout',
  verbs: [
    {
      name: '',
      summary: 'Remove the API key from a profile',
      examples: [
        ['msgctl logout', 'log out of the profile in use'],
        ['msgctl logout --profile work', 'log out of another profile'],
      ],
      shown: { columns: ['profile', 'base_url', 'logged_out'] },
      run: logOut,
    },
  ],
};
