import type { Noun, Session } from '../command/command.ts';
import { usageError } from '../errors.ts';
import { previewKey } from '../profiles/key-preview.ts';
import { checkProfileName, noProfile, type Profile, type Profiles, sandboxName } from '../profiles/profiles.ts';
import { type Result, type Row, wholeList } from '../output/result.ts';

const columns = ['name', 'base_url', 'key', 'sub_account_id', 'current'];

/** A profile as it is shown, the built-in one included. Its address is null when it is the embedded service. */
function shownProfile({ targets }: Session, name: string): Row {
  const { profiles } = targets;
  const profile: Partial<Profile> | undefined =
    name === sandboxName ? profiles.findSandbox(targets.dataDirectory.path) : profiles.find(name);
  if (!profile) throw noProfile(name, profiles.names());
  return {
    name,
    base_url: profile.base_url ?? null,
    key: profile.api_key === undefined ? null : previewKey(profile.api_key),
    sub_account_id: profile.sub_account_id ?? null,
    current: profiles.current() === name,
  };
}

async function show(session: Session, [named]: readonly string[]): Promise<Result> {
  const name = named ?? session.targets.profiles.current();
  if (name === null) throw usageError('No profile is in use', 'Name one; `msgctl profiles list` shows them.');
  const record = shownProfile(session, name);
  return { kind: 'record', answer: { profile: record }, record };
}

/** @throws CliError 5 when there is none of that name */
function check(profiles: Profiles, name: string): void {
  if (name !== sandboxName && !profiles.find(name)) throw noProfile(name, profiles.names());
}

const nameArgument = ['<name>', 'the name of a profile', 'profile'] as const;
const shown = { field: 'profile', columns };

export const profiles: Noun = {
  name: 'profiles',
  summary: 'Manage the accounts that this machine knows',
  verbs: [
    {
      name: 'list',
      summary: 'List the profiles, the built-in one last',
      examples: [['msgctl profiles list', 'which is in use, and where each leads']],
      shown: { rows: 'profiles', columns },
      run: async (session) => {
        const names = [...session.targets.profiles.names(), sandboxName];
        return wholeList(
          'profiles',
          names.map((name) => shownProfile(session, name)),
        );
      },
    },
    {
      name: 'show',
      summary: 'Show a profile; its key is masked',
      examples: [
        ['msgctl profiles show', 'the one in use'],
        ['msgctl profiles show work -o json', 'another, for scripts'],
      ],
      arguments: [['[name]', 'the name of a profile', 'profile']],
      shown,
      run: show,
    },
    {
      name: 'use',
      summary: 'Use a profile from now on',
      examples: [['msgctl profiles use work', 'until another is chosen']],
      arguments: [nameArgument],
      shown,
      run: async (session, [name = '']) => {
        check(session.targets.profiles, name);
        await session.targets.profiles.use(name);
        session.notes.say(`The profile '${name}' is in use.`);
        return await show(session, [name]);
      },
    },
    {
      name: 'rename',
      summary: 'Rename a profile',
      examples: [['msgctl profiles rename default work', 'its key and what it remembers stay']],
      arguments: [nameArgument, ['<new-name>', 'the name it gets']],
      shown,
      run: async (session, [name = '', newName = '']) => {
        if (name === sandboxName) throw usageError("The profile 'sandbox' is built in: it keeps its name");
        await session.targets.profiles.rename(name, checkProfileName(newName));
        return await show(session, [newName]);
      },
    },
    {
      name: 'remove',
      summary: 'Remove a profile and the key in it',
      examples: [['msgctl profiles remove work', 'asks first; the key itself still works']],
      arguments: [nameArgument],
      shown: { columns: ['name', 'removed'] },
      run: async (session, [name = '']) => {
        const { profiles: stored } = session.targets;
        if (name === sandboxName) throw usageError("The profile 'sandbox' is built in: it cannot be removed");
        check(stored, name);
        await session.confirm(`Remove the profile '${name}' and the key in it?`);
        await stored.remove(name);
        session.notes.say(`The profile '${name}' is removed.`);
        const record = { name, removed: true };
        return { kind: 'record', answer: record, record };
      },
    },
  ],
};
