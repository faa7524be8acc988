import { existsSync, readdirSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { describeWriteError } from '../../contract/file-errors.ts';
import { dumpFiles } from '../../account-as-code/files/dump.ts';
import { realPath } from '../../account-as-code/files/real-path.ts';
import { findBase, pathWithoutLinks } from '../../account-as-code/files/bases.ts';
import { isDirectory, staysInside } from '../../account-as-code/files/folder.ts';
import { readRecords } from '../../account-as-code/files/read.ts';
import { safe } from '../../account-as-code/files/layout.ts';
import { schemaFile } from '../../account-as-code/files/write.ts';
import { kindNames, optionalKinds } from '../../account-as-code/kind.ts';
import { readLive } from '../../account-as-code/live.ts';
import { accountSchema } from '../../account-as-code/files/schema-document.ts';
import { compareTexts } from '../../contract/text/compare-texts.ts';
import type { Noun, Options, Session } from '../verb/noun.ts';
import { baseRootOption, checkKeys, kindsOf, onlyOption, readBaseRoot, withOption } from '../account-as-code/options.ts';
import { foldersByAccount } from '../account-as-code/account-folders.ts';
import { accountClients } from '../account-as-code/account-clients.ts';
import { checkAccount, withFiles } from '../account-as-code/planning.ts';
import { replaceFiles } from './dump/replace-files.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { makeFolder } from '../files/make-folder.ts';
import { type Result, wholeList } from '../output/result.ts';

const columns = ['file', 'action'] as const;

async function writeDump(session: Session, [folder = '']: readonly string[], options: Options): Promise<Result> {
  const { base } = options as { base?: string };
  checkKeys(session, options);
  if (folder === '') throw usageError('The name of the folder is empty', 'Name the folder to write to.');
  if (base !== undefined && !isDirectory(base)) throw usageError(`There is no folder ${base}`);
  if (existsSync(folder) && !isDirectory(folder)) throw usageError(`${folder} is a file, not a folder`);
  const rows = session.accounts ? await dumpAccounts(session, folder, options) : await dumpAccount(session, folder, options);
  // The paths of the files are relative to it.
  if (rows.length > 0) session.notes.say(`The files are in ${folder}.`);
  return {
    ...wholeList(
      'files',
      [...rows].sort((one, other) => compareTexts(one.file, other.file)),
    ),
    columns,
  };
}

interface DumpedFile {
  readonly file: string;
  readonly action: 'written' | 'changed' | 'removed' | 'not needed';
}

/** Dumps each account to its own folder: the one whose account.yaml has its id, or else one with its name. */
async function dumpAccounts(session: Session, folder: string, options: Options): Promise<DumpedFile[]> {
  openFolder(folder);
  const known = await foldersByAccount(folder, options);
  const taken = new Set(readdirSync(folder).map((name) => name.toLowerCase()));
  const rows: DumpedFile[] = [];
  for (const { id, name, session: onAccount } of await accountClients(session)) {
    const path = known.get(id) ?? join(folder, freeName(safe(name), taken));
    const own = await dumpAccount(onAccount, path, options, { account: id, above: folder });
    rows.push(...own.map(({ file, action }) => ({ file: posix.join(relative(folder, path), file), action })));
  }
  return rows;
}

function freeName(wanted: string, taken: Set<string>): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (taken.has(name.toLowerCase())) continue;
    taken.add(name.toLowerCase());
    return name;
  }
}

/**
 * Dumps one account. If it is one of several, `account` is its id for account.yaml, and `above` the parent folder of all
 * accounts.
 */
async function dumpAccount(
  session: Session,
  folder: string,
  options: Options,
  { account, above = folder }: { account?: string; above?: string } = {},
): Promise<DumpedFile[]> {
  const { base, replace } = options as { base?: string; replace?: boolean };
  const wanted = kindsOf(options, 'with') ?? new Set();
  const only = kindsOf(options, 'only');
  const names = kindNames.filter((name) => (only?.has(name) ?? true) && (!optionalKinds.has(name) || wanted.has(name)));
  return await withFiles(relative(above, folder), async () => {
    const { env } = session.world;
    const isThere = existsSync(folder) && readdirSync(folder).length > 0;
    const root = readBaseRoot(above, options, above !== folder);
    const named = base === undefined ? undefined : readBase(folder, base, root);
    openFolder(folder);
    const bases = base === undefined ? [] : [base];
    // A folder with errors is refused before anything is read or written.
    const existing =
      isThere || base !== undefined ? await readRecords(folder, { env, included: new Set(optionalKinds), bases, root }) : undefined;
    const live = await readLive(await session.targets.client(), names);
    const whose = existing?.folders.at(-1)?.settings.account;
    if (whose !== undefined) checkAccount(whose, live.account.id, join(folder, 'account.yaml'));
    const { files, unneeded, notes } = dumpFiles(live, existing, {
      names,
      account,
      bases: named === undefined ? undefined : [named],
      isReplaced: replace === true,
    });
    refuseToLeave(folder, [...files.keys(), schemaFile, ...unneeded]);
    const read = existing?.texts ?? new Map<string, string>();
    const rows = [...files.keys()].map((file): DumpedFile => ({ file, action: read.has(file) ? 'changed' : 'written' }));
    const schema = existsSync(join(folder, schemaFile)) ? [] : [[schemaFile, `${JSON.stringify(accountSchema(), null, 2)}\n`] as const];
    replaceFiles(folder, { read, written: new Map([...files, ...schema]), removed: replace === true ? unneeded : [] });
    for (const note of [...live.notes, ...notes]) session.notes.say(note);
    if (isThere && rows.length === 0 && unneeded.length === 0) session.notes.say(`Nothing to write: ${folder} is up to date.`);
    if (unneeded.length > 0 && replace !== true)
      session.notes.say(`These files are no longer needed (--replace removes them): ${unneeded.join(', ')}.`);
    return [...rows, ...unneeded.map((file): DumpedFile => ({ file, action: replace === true ? 'removed' : 'not needed' }))];
  });
}

/** The path of a base as account.yaml names it. @throws CliError 2 if it could not be read again, because it is not below the root */
function readBase(folder: string, base: string, root: string): string {
  const top = pathWithoutLinks(folder);
  const named = relative(top, realPath(base)).replaceAll('\\', '/');
  const found = findBase(named, [top], root);
  if ('problem' in found) throw usageError(`--base ${base}: ${found.problem}`);
  return named;
}

function openFolder(folder: string): void {
  try {
    makeFolder(folder, 0o777);
    readdirSync(folder);
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `Cannot write to ${folder}: ${describeWriteError(error)}`);
  }
}

/** @throws CliError 1 if one of the files is outside of the folder, because a symbolic link leads there */
function refuseToLeave(folder: string, files: readonly string[]): void {
  const file = files.find((each) => !staysInside(folder, each));
  if (file !== undefined)
    throw new CliError(exitCodes.failed, 'file', `${join(folder, file)} is outside the folder: a symbolic link leads there`, {
      hint: 'Remove the link, and dump again.',
    });
}

export const dump: Noun = {
  name: 'dump',
  verbs: [
    {
      name: '',
      summary: 'Write the configuration of the live account to a folder; existing files are updated and keep their comments',
      examples: [
        ['msgctl dump account', 'the whole configuration, in YAML'],
        ['msgctl dump account --only agents,faqs', 'some kinds'],
        ['msgctl dump clients/nord --base base', 'only the differences from another folder'],
      ],
      arguments: [{ name: 'dir', summary: 'the folder to write to', completes: 'file' }],
      options: [
        onlyOption,
        { flags: '--base <dir>', summary: 'write only the differences from this folder', completes: 'file' },
        baseRootOption,
        { flags: '--replace', summary: 'remove files that are no longer needed' },
        withOption,
      ],
      scope: 'all accounts',
      shown: { columns },
      run: writeDump,
    },
  ],
};
