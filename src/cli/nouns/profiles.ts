import type { Noun, Session } from '../verb/noun.ts';
import { usageError } from '../errors.ts';
import { previewKey } from '../profiles/key-preview.ts';
import { type Result, type ResultRow, wholeList } from '../output/result.ts';
import { checkProfileName, type Profile, sandboxName } from '../profiles/profiles.ts';

const columns = ['name', 'base_url', 'key', 'key_command', 'sandbox_token', 'sub_account_id', 'current'];

/** Without the token, so that URLs fit into a narrow window. */
const listColumns = columns.filter((column) => column !== 'sandbox_token');

/** A narrow window must show which profile is in use. */
const tableColumns = ['name', 'current', 'base_url', 'sub_account_id', 'key', 'key_command'];

/** The row of a profile. For the built-in profile, the URL is null, which means the embedded service. */
function profileRow({ targets }: Session, name: string): ResultRow {
  const { profiles } = targets;
  const profile: Partial<Profile> = name === sandboxName ? profiles.readSandbox(targets.dataDirectory.path) : profiles.require(name);
  return {
    name,
    base_url: profile.base_url ?? null,
    key: profile.api_key === undefined ? null : previewKey(profile.api_key),
    key_command: profile.key_command ?? null,
    sandbox_token: profile.sandbox_token === undefined ? null : previewKey(profile.sandbox_token),
    sub_account_id: profile.sub_account_id ?? null,
    current: profiles.current() === name,
  };
}

async function show(session: Session, [named]: readonly string[]): Promise<Result> {
  const name = named ?? session.targets.profiles.current();
  if (name === null) throw usageError('No profile is in use', 'Name one; `msgctl profiles list` lists them.');
  const record = profileRow(session, name);
  return { kind: 'record', answer: { profile: record }, record };
}

const nameArgument = { name: 'name', summary: 'the name of a profile', completes: 'profile' } as const;

const shown = { field: 'profile', columns };

export const profiles: Noun = {
  name: 'profiles',
  verbs: [
    {
      name: 'list',
      summary: 'List the profiles, including the built-in `sandbox`',
      examples: [['msgctl profiles list', 'every profile with its address']],
      shown: { rows: 'profiles', columns: listColumns, table: tableColumns },
      run: async (session) => {
        const names = [...session.targets.profiles.names(), sandboxName];
        return wholeList(
          'profiles',
          names.map((name) => profileRow(session, name)),
        );
      },
    },
    {
      name: 'show',
      summary: 'Show a profile with its secrets masked',
      examples: [
        ['msgctl profiles show', 'the profile in use'],
        ['msgctl profiles show work -o json', 'another profile as JSON'],
      ],
      arguments: [{ ...nameArgument, isOptional: true }],
      shown,
      run: show,
    },
    {
      name: 'use',
      summary: 'Switch to a profile',
      examples: [['msgctl profiles use work', 'commands use this profile until you choose another']],
      arguments: [nameArgument],
      shown,
      run: async (session, [name = '']) => {
        if (name !== sandboxName) session.targets.profiles.require(name);
        await session.targets.profiles.use(name);
        session.notes.say(`Now using the profile '${name}'.`);
        return await show(session, [name]);
      },
    },
    {
      name: 'rename',
      summary: 'Rename a profile',
      examples: [['msgctl profiles rename default work', 'the profile keeps its key and its sub-account']],
      arguments: [nameArgument, { name: 'new-name', summary: 'the new name' }],
      shown,
      run: async (session, [name = '', newName = '']) => {
        if (name === sandboxName) throw usageError("The built-in profile 'sandbox' cannot be renamed");
        checkProfileName(newName);
        await session.targets.profiles.rename(name, newName);
        return await show(session, [newName]);
      },
    },
    {
      name: 'remove',
      summary: 'Remove a profile and the secrets in it',
      examples: [['msgctl profiles remove work', 'asks for confirmation; the key itself still works']],
      arguments: [nameArgument],
      shown: { columns: ['name', 'removed'] },
      promptTarget: ({ session: { targets } }) => targets.profiles.file,
      run: async (session, [name = '']) => {
        const { profiles: stored } = session.targets;
        if (name === sandboxName) throw usageError("The built-in profile 'sandbox' cannot be removed");
        stored.require(name);
        await session.confirm(`Remove the profile '${name}' and the key in it?`);
        await stored.remove(name);
        session.notes.say(`Removed the profile '${name}'.`);
        const record = { name, removed: true };
        return { kind: 'record', answer: record, record };
      },
    },
  ],
};
