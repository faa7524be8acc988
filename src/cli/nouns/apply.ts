import { existsSync } from 'node:fs';
import { isDirectory } from '../../account-as-code/files/folder.ts';
import { readLive } from '../../account-as-code/live.ts';
import { PlanError, readPlan } from '../../account-as-code/plan/plan-file.ts';
import { routingKindsOf } from '../../account-as-code/planner/routing.ts';
import { checkSavedPlan, savedPlanOn } from '../../account-as-code/planner/saved-plan.ts';
import type { Client } from '../../client/client.ts';
import { NestedTooDeeply, parseJson } from '../../contract/json.ts';
import { limits } from '../../contract/limits.ts';
import type { Noun, OptionSpec, Options, Session } from '../verb/noun.ts';
import {
  baseRootOption,
  checkKeys,
  checkOwnAccount,
  maxFailuresOption,
  onlyOption,
  pruneOption,
  secretsOption,
  withOption,
} from '../account-as-code/options.ts';
import { InvalidValue } from '../invalid-value.ts';
import { parseCount, parseList } from '../verb/values.ts';
import { applyToAccounts } from '../account-as-code/apply-accounts.ts';
import { planKey } from '../account-as-code/plan-key.ts';
import { checkAccount, type Planned, planFolder } from '../account-as-code/planning.ts';
import { planColumns } from '../account-as-code/result.ts';
import { type Ready, runPlan } from '../account-as-code/run-plan.ts';
import { varsOption } from '../account-as-code/variables-file.ts';
import { exitCodes, usageError } from '../errors.ts';
import { readUserText } from '../files/read.ts';
import type { Result } from '../output/result.ts';

const allowDeletesOption: OptionSpec = {
  flags: '--allow-deletes <count>',
  summary: 'allow exactly this many deletions; required if many records, or data that cannot be restored, would be deleted',
  parse: (text) => parseAmount(text),
};

function parseAmount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidValue('must be a whole number');
  return Number(text);
}

const rehearseOption: OptionSpec = {
  flags: '--rehearse',
  summary: 'first apply to a copy of the account in memory, and report',
};

const testOption: OptionSpec = {
  flags: '--test <suites>',
  summary: "with --rehearse: suites of `agents test` that the copy must pass, such as 'tests/*.yaml'",
  isList: true,
  parse: parseList,
  completes: 'file',
};

const canaryOption: OptionSpec = {
  flags: '--canary <count>',
  summary: 'apply to this many accounts, then ask before continuing with the rest',
  parse: (text) => parseCount(text),
};

async function applyFiles(session: Session, [from = '']: readonly string[], options: Options): Promise<Result> {
  checkKeys(session, options);
  if (session.accounts) return await applyToAccounts(session, from, options);
  const client = await session.targets.client();
  if (!existsSync(from))
    throw usageError(`There is no folder or plan ${from}`, '`msgctl dump DIR` creates a folder from the live account.');
  const planned = isDirectory(from) ? await planFolder(session, client, from, options) : await readPlanFile(session, client, from, options);
  return await runPlan(session, { ...planned, client, undoes: null, checkCopy: await suitesOf(session, client, options) }, options);
}

/** What the copy of a rehearsal must pass. @throws CliError 2 for a suite with a mistake, or without a rehearsal */
async function suitesOf(session: Session, client: Client, { test, rehearse }: Options): Promise<Ready['checkCopy']> {
  if (test === undefined) return undefined;
  if (rehearse !== true) throw usageError('--test needs --rehearse, which makes the copy that is tested');
  const { readSuites, requirePassing } = await import('../suites/require-passing.ts');
  const suites = await readSuites(test as readonly string[]);
  const failing = { exitCode: exitCodes.conflict, code: 'rehearsal', message: 'The rehearsal failed, so nothing is written' };
  return async (change) => await requirePassing(session, client, suites, { usesDraft: () => false, change }, failing);
}

/** @throws CliError 2 if the file is not a plan, is for another account, or needs environment variables that are not set */
async function readPlanFile(session: Session, client: Client, file: string, options: Options): Promise<Planned> {
  for (const [name, flag] of [
    ['only', 'only'],
    ['prune', 'prune'],
    ['with', 'with'],
    ['baseRoot', 'base-root'],
    ['vars', 'vars'],
  ] as const)
    if (options[name] !== undefined) throw usageError(`--${flag} does not apply to a saved plan`);
  const { targets, world } = session;
  const text = await readUserText(file);
  try {
    const plan = readPlan(parseJson(text, limits.bodyLevels), targets.secretEnvironment(world.env), planKey(world));
    checkSavedPlan(plan);
    const changed = [...new Set(plan.changes.map(({ kind }) => kind))];
    checkOwnAccount(session, changed, 'A plan with');
    const live = await readLive(client, changed, routingKindsOf(changed));
    checkAccount(plan.account, live.account.id, file);
    return { plan: savedPlanOn(live, plan), live };
  } catch (error) {
    if (error instanceof PlanError || error instanceof SyntaxError || error instanceof NestedTooDeeply)
      throw usageError(
        `${file} cannot be applied: ${error instanceof SyntaxError ? 'it is not JSON' : error.message}`,
        '`msgctl diff DIR --out FILE` writes a plan. To apply YAML files, name their folder.',
      );
    throw error;
  }
}

export const apply: Noun = {
  name: 'apply',
  verbs: [
    {
      name: '',
      summary: 'Show what a folder or a plan would change, ask, and apply it; nothing is deleted unless prune names its kind',
      examples: [
        ['msgctl apply account', 'shows the plan and asks'],
        ['msgctl apply account --yes --prune faqs', 'in scripts; deletes FAQs that are not in the files'],
        ["msgctl apply base --sub-account 'Client*' --vars clients.csv --canary 3", 'one set of files for many accounts'],
        ['msgctl apply plan.json', 'a plan that `msgctl diff --out` saved'],
      ],
      arguments: [{ name: 'from', summary: 'the folder of the files, or a plan', completes: 'file' }],
      options: [
        onlyOption,
        baseRootOption,
        varsOption,
        pruneOption,
        withOption,
        secretsOption,
        allowDeletesOption,
        maxFailuresOption,
        canaryOption,
        rehearseOption,
        testOption,
      ],
      scope: 'all accounts',
      shown: { columns: planColumns },
      run: applyFiles,
    },
  ],
};
