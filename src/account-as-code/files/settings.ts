import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as z from 'zod';
import { type KindName, kindNames } from '../kind.ts';
import type { Problem } from '../planner/problems.ts';
import { findBase } from './bases.ts';
import { check } from './check.ts';
import { ExternalValue, isMap, type Path, readFile, replaced } from './document.ts';
import { realPath } from './real-path.ts';

/** The fields of account.yaml, apart from the lists of records. */
export const settingsSchema = () =>
  z.strictObject({
    account: z
      .string()
      .min(1)
      .optional()
      .describe('the id of the account that the files belong to; commands on another account are refused'),
    base: z
      .union([z.string(), z.array(z.string())], { error: 'must be a folder or a list of folders' })
      .optional()
      .describe('folders that this folder builds on, as paths relative to it'),
    vars: z.record(z.string(), z.string()).optional().describe('the variables, which values use as ${name}'),
    prune: z.array(z.enum(kindNames)).optional().describe('kinds whose records are deleted when no file has them'),
  });

/** The fields of account.yaml with those of the records, so that a misspelled one is recognised. */
const settingsAndKinds = () => settingsSchema().extend(Object.fromEntries(kindNames.map((name) => [name, z.unknown().optional()])));

export type Settings = z.output<ReturnType<typeof settingsSchema>>;

/** A configuration folder: the one that the user passed, or a base. */
export interface Folder {
  /** The absolute path. */
  readonly path: string;
  /** The path relative to the folder that the user passed, for messages; empty for that folder. */
  readonly shownAs: string;
  readonly settings: Settings;
}

/**
 * Reads the settings of a folder and its bases.
 * @param extraBases paths of more bases, which the user named
 * @param root the folder below which the bases that files name must be
 * @returns the folders, the farthest base first and the folder itself last
 */
export function readFolders(named: string, extraBases: readonly string[], root: string, problems: Problem[]): Folder[] {
  const folders: Folder[] = [];
  const seen = new Set<string>();
  const top = realPath(named);
  const visit = (path: string, above: readonly string[], more: readonly string[]) => {
    if (seen.has(path)) return;
    const chain = [...above, path];
    const shownAs = relative(top, path).replaceAll('\\', '/');
    const read = readSettings(path, shownAs, problems);
    const bases = read.settings.base === undefined ? [] : [read.settings.base].flat();
    for (const [index, base] of bases.entries()) {
      const place = read.place(['base', ...(Array.isArray(read.settings.base) ? [index] : [])]);
      const found = findBase(base, chain, root);
      if ('problem' in found) problems.push({ ...place, problem: `base: ${found.problem}` });
      else visit(found.path, chain, []);
    }
    for (const base of more) visit(realPath(base), chain, []);
    seen.add(path);
    folders.push({ path, shownAs, settings: read.settings });
  };
  visit(top, [], extraBases);
  return folders;
}

/** Reads the settings in a folder's account.yaml. The file is optional. */
function readSettings(folder: string, shownAs: string, problems: Problem[]) {
  const path = join(folder, 'account.yaml');
  const none = { settings: {} as Settings, place: () => ({ file: join(shownAs, 'account.yaml'), line: 1, column: 1 }) };
  if (!existsSync(path)) return none;
  const read = readFile(folder, 'account.yaml', join(shownAs, 'account.yaml').replaceAll('\\', '/'));
  if ('problem' in read) {
    problems.push(read.problem);
    return none;
  }
  const { file } = read;
  const place = (at: Path, ofKey = false) => file.placeOf(at, ofKey);
  const { value } = file;
  if (value === null) return none;
  // The file can contain records too.
  const own = isMap(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => !isKindName(name))) : value;
  const plain = replaced(own, [], (scalar, at) => {
    if (!(scalar instanceof ExternalValue)) return scalar;
    problems.push({ ...place(at), problem: `${scalar.tag} cannot be used in the settings` });
    return scalar.name;
  });
  const settings = check(settingsAndKinds(), plain, place, problems) as Settings | undefined;
  return { settings: settings ?? {}, place };
}

/** Whether a text is the name of a kind. */
export function isKindName(name: string): name is KindName {
  return (kindNames as readonly string[]).includes(name);
}
