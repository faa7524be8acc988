import { readFileSync, statSync } from 'node:fs';
import { isEmpty, type Plan } from '../../account-as-code/plan/plan.ts';
import { isPlan, planDocument } from '../../account-as-code/plan/plan-file.ts';
import { decodePlainText } from '../../contract/text/plain-text.ts';
import type { Noun, Options, Session } from '../verb/noun.ts';
import { openOutputFile } from '../verb/output-file.ts';
import { sameTarget } from '../verb/same-target.ts';
import { shellWord } from '../output/shell-word.ts';
import { baseRootOption, checkKeys, onlyOption, pruneOption, withOption } from '../account-as-code/options.ts';
import { usageError } from '../errors.ts';
import { diffAccounts } from '../account-as-code/apply-accounts.ts';
import { planKey } from '../account-as-code/plan-key.ts';
import { diffExitCode, planFolder } from '../account-as-code/planning.ts';
import { planColumns, planResult } from '../account-as-code/result.ts';
import { varsOption } from '../account-as-code/variables-file.ts';
import type { OwnerOnlyFile } from '../files/owner-only.ts';
import type { Result } from '../output/result.ts';

async function showDiff(session: Session, [folder = '']: readonly string[], options: Options): Promise<Result> {
  const out = options.out as string | undefined;
  checkKeys(session, options);
  if (session.accounts) return await diffAccounts(session, folder, options);
  const file = out === undefined ? undefined : openPlanFile(out, session);
  try {
    const { plan } = await planFolder(session, await session.targets.client(), folder, options);
    file?.commit(`${JSON.stringify(planDocument(plan, planKey(session.world)), null, 2)}\n`);
    if (out !== undefined) session.notes.say(`The plan is in ${out}.${carriedOut(plan, session, out)}`);
    return await planResult(plan, session, diffExitCode(plan));
  } finally {
    file?.close();
  }
}

/** Opens the file for a plan. It can replace an earlier plan or an empty file. @throws CliError 2 if there is another file */
function openPlanFile(out: string, { globals }: Session): OwnerOnlyFile {
  if (out === '-') throw usageError('--out takes a file', 'To print the plan, use -o json.');
  const present = statSync(out, { throwIfNoEntry: false });
  const replaces = globals.yes || present?.isFile() !== true || present.size === 0 || isPlanFile(out);
  const hint = 'The file is not a plan. Choose another file, or add --yes to replace it.';
  return openOutputFile(out, { flag: '--out', what: 'the plan', replaces, hint });
}

function isPlanFile(file: string): boolean {
  try {
    return isPlan(JSON.parse(decodePlainText(readFileSync(file))));
  } catch {
    return false;
  }
}

function carriedOut(plan: Plan, session: Session, out: string): string {
  return isEmpty(plan) ? '' : ` \`msgctl apply ${shellWord(out)}${sameTarget(session)}\` applies it.`;
}

export const diff: Noun = {
  name: 'diff',
  verbs: [
    {
      name: '',
      summary: 'Compare a folder with the live account; exits 0 if they are the same, 3 if they differ, 6 if something is ambiguous',
      examples: [
        ['msgctl diff account', 'what `msgctl apply account` would do'],
        ['msgctl diff account --out plan.json', 'save the plan, to review it and apply it later'],
        ['msgctl diff account --only agents,rules --prune rules', 'only two kinds, and rules that are not in the files'],
        ['msgctl diff account --prune tags,agents', 'for CI: exits 3 also for tags and agents that are not in the files'],
      ],
      arguments: [{ name: 'dir', summary: 'the folder of the files', completes: 'file' }],
      options: [
        { flags: '--out <file>', summary: 'write the plan to this file, readable only by you', completes: 'file' },
        onlyOption,
        baseRootOption,
        varsOption,
        pruneOption,
        withOption,
      ],
      scope: 'all accounts',
      shown: { columns: planColumns },
      run: showDiff,
    },
  ],
};
