import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { dumpFiles } from '../../account-as-code/dump.ts';
import { readRecords } from '../../account-as-code/files/read.ts';
import { schemaFile } from '../../account-as-code/files/write.ts';
import { kindNames, kindsOnRequest } from '../../account-as-code/kind.ts';
import { readLive } from '../../account-as-code/live.ts';
import { accountSchema } from '../../account-as-code/schema-document.ts';
import type { Noun, Options, Session } from '../command/noun.ts';
import { kindsOf, onlyOption, withOption } from '../configuration/options.ts';
import { withFiles } from '../configuration/planning.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { counted } from '../output/counted.ts';
import { type Result, wholeList } from '../output/result.ts';

const columns = ['file', 'action'] as const;

async function writeDump(session: Session, [folder = '']: readonly string[], options: Options): Promise<Result> {
  const { base, replace } = options as { base?: string; replace?: boolean };
  const wanted = kindsOf(options, 'with') ?? new Set();
  const only = kindsOf(options, 'only');
  const names = kindNames.filter((name) => (only?.has(name) ?? true) && (!kindsOnRequest.has(name) || wanted.has(name)));
  if (base !== undefined && !existsSync(base)) throw usageError(`There is no folder ${base}`);
  return await withFiles(async () => {
    const { env } = session.world;
    // A folder with mistakes is refused before anything is read or written.
    const isThere = existsSync(folder) && readdirSync(folder).length > 0;
    makeFolder(folder);
    const bases = base === undefined ? [] : [base];
    const existing = isThere || base !== undefined ? readRecords(folder, { env, with: new Set(kindsOnRequest), bases }) : undefined;
    const client = await session.targets.client();
    const live = await readLive(client, names);
    const named = base === undefined ? undefined : [relative(folder, base).replaceAll('\\', '/')];
    const { files, unneeded, notes } = dumpFiles(live, existing, { names, bases: named });
    const rows = [...files].map(([file, text]) => {
      const action = existsSync(join(folder, file)) ? 'changed' : 'written';
      write(join(folder, file), text);
      return { file, action };
    });
    if (!existsSync(join(folder, schemaFile))) write(join(folder, schemaFile), `${JSON.stringify(accountSchema(), null, 2)}\n`);
    for (const file of unneeded) if (replace === true) rmSync(join(folder, file), { force: true });
    for (const note of [...live.notes, ...notes]) session.notes.say(note);
    const left = unneeded.map((file) => ({ file, action: replace === true ? 'removed' : 'not needed' }));
    if (left.length > 0 && replace !== true)
      session.notes.say(
        `${counted(left.length, 'file')} ${left.length === 1 ? 'is' : 'are'} not needed any more: --replace removes ${left.length === 1 ? 'it' : 'them'}.`,
      );
    return {
      ...wholeList(
        'files',
        [...rows, ...left].sort((one, other) => (one.file < other.file ? -1 : 1)),
      ),
      columns,
    };
  });
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    readdirSync(folder);
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `Cannot write to ${folder}: ${(error as Error).message}`);
  }
}

function write(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `Cannot write ${path}: ${(error as Error).message}`);
  }
}

export const dump: Noun = {
  name: 'dump',
  verbs: [
    {
      name: '',
      summary: 'Write the configuration of the live account to a folder; what stands there is edited, and its comments stay',
      examples: [
        ['msgctl dump account', 'the whole configuration, in YAML'],
        ['msgctl dump account --only agents,faqs', 'some kinds'],
        ['msgctl dump clients/nord --base base', 'only what differs from another folder'],
      ],
      arguments: [{ name: 'dir', summary: 'the folder to write to', completes: 'file' }],
      options: [
        onlyOption,
        { flags: '--base <dir>', summary: 'write only what differs from this folder', completes: 'file' },
        { flags: '--replace', summary: 'remove files that are no longer needed' },
        withOption,
      ],
      actsOnSubAccounts: true,
      isForOneAccount: true,
      shown: { columns },
      run: writeDump,
    },
  ],
};
