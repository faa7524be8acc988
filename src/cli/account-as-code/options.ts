import { baseRootOf } from '../../account-as-code/files/bases.ts';
import { isDirectory } from '../../account-as-code/files/folder.ts';
import { type KindName, kindNames, optionalKinds } from '../../account-as-code/kind.ts';
import { kinds } from '../../account-as-code/kinds.ts';
import type { OptionSpec, Options, Session } from '../verb/noun.ts';
import { InvalidValue } from '../invalid-value.ts';
import { parseCount, splitList } from '../verb/values.ts';
import { didYouMean } from '../did-you-mean.ts';
import { usageError } from '../errors.ts';

/** Parses a comma-separated list of kinds. Repeating the option adds to the list. */
function parseKinds(text: string, previous: unknown): KindName[] {
  const named = splitList(text);
  const known: readonly string[] = kindNames;
  const wrong = named.find((name) => !known.includes(name));
  if (wrong !== undefined)
    throw usageError(`'${wrong}' is not a kind; the kinds are ${kindNames.join(', ')}`, didYouMean(wrong, kindNames));
  return [...((previous as KindName[] | undefined) ?? []), ...(named as KindName[])];
}

function parseRequested(text: string, previous: unknown): KindName[] {
  const known: readonly string[] = kindNames;
  const wrong = splitList(text).find((name) => !optionalKinds.has(name as KindName));
  if (wrong !== undefined) {
    const isKind = known.includes(wrong);
    const hint = isKind ? undefined : didYouMean(wrong, [...optionalKinds]);
    throw new InvalidValue(`must be keys or sources: '${wrong}' is ${isKind ? 'always included' : 'neither of them'}`, { hint });
  }
  return parseKinds(text, previous);
}

const kindList = { isList: true, completes: kindNames, parse: parseKinds } as const;

export const onlyOption: OptionSpec = { flags: '--only <kinds>', summary: 'only these kinds of records, separated by commas', ...kindList };

export const baseRootOption: OptionSpec = {
  flags: '--base-root <dir>',
  summary: 'the folder that must contain the bases (default: the git checkout, or the parent folder if there is none)',
  completes: 'file',
};

/**
 * The folder below which bases must be.
 * @param folder the folder that the command names
 * @param holdsAccounts whether it holds a folder for each account
 * @throws CliError 2 if there is no folder of the name in `--base-root`
 */
export function readBaseRoot(folder: string, { baseRoot }: Options, holdsAccounts: boolean): string {
  const given = baseRoot as string | undefined;
  if (given !== undefined && !isDirectory(given)) throw usageError(`There is no folder ${given} for --base-root`);
  return baseRootOf(folder, given, holdsAccounts);
}

export const pruneOption: OptionSpec = {
  flags: '--prune <kinds>',
  summary: 'delete live records of these kinds that are not in the files; adds to `prune` in account.yaml',
  ...kindList,
};

export const withOption: OptionSpec = {
  flags: '--with <kinds>',
  summary: 'also include keys, sources or both',
  isList: true,
  completes: [...optionalKinds],
  parse: parseRequested,
};

export const secretsOption: OptionSpec = {
  flags: '--secrets-out <file>',
  summary: 'append new signing secrets and keys to this file, readable only by you',
  completes: 'file',
};

export const maxFailuresOption: OptionSpec = {
  flags: '--max-failures <count>',
  summary: 'stop when this many writes have failed',
  parse: (text) => parseCount(text),
};

/** @throws CliError 2 if `--with keys` is used on another account than the key's own */
export function checkKeys(session: Session, options: Options): void {
  checkOwnAccount(session, [...(kindsOf(options, 'with') ?? [])], '--with');
}

/**
 * Checks that credentials are only read and written in the key's own account: the API has none of sub-accounts.
 * @param what names their kind: `--with`
 * @throws CliError 2 if they would be in another account
 */
export function checkOwnAccount({ accounts, targets }: Session, names: readonly KindName[], what: string): void {
  const credentials = names.find((name) => kinds[name].loss?.isCredential);
  if (credentials === undefined) return;
  const ids = accounts ? accounts.map(({ id }) => id) : [targets.resolve().subAccountId];
  if (ids.some((id) => id !== undefined))
    throw usageError(
      `${what} ${credentials} works only on your own account`,
      'Omit it, or choose your own account with --sub-account own.',
    );
}

/** The kinds given by an option; undefined if the option is not used. */
export function kindsOf(options: Options, name: 'only' | 'prune' | 'with'): ReadonlySet<KindName> | undefined {
  const named = options[name] as KindName[] | undefined;
  return named && new Set(named);
}
