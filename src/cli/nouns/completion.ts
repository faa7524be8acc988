import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { describeReadError } from '../../contract/file-errors.ts';
import type { Noun } from '../verb/noun.ts';
import { unknownChoiceError } from '../did-you-mean.ts';
import { CliError, exitCodes } from '../errors.ts';

/** The supported shells and their scripts in the folder `completions`. */
const completionScripts = {
  bash: 'msgctl.bash',
  zsh: '_msgctl',
  fish: 'msgctl.fish',
  powershell: 'msgctl.ps1',
} as const;

type Shell = keyof typeof completionScripts;

const shells = Object.keys(completionScripts) as Shell[];

function requireScript(shell: Shell): string {
  const root = dirname(findPackageJSON(import.meta.url) ?? '.');
  const file = join(root, 'completions', completionScripts[shell]);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `The completion script is missing: ${describeReadError(error)}`, {
      hint: 'Reinstall msgctl.',
    });
  }
}

export const completion: Noun = {
  name: 'completion',
  verbs: [
    {
      name: '',
      summary: 'Print a shell completion script for commands, options, values, profiles, names and ids',
      examples: [
        [
          'msgctl completion bash > ~/.local/share/bash-completion/completions/msgctl',
          'for bash; create the folder first with `mkdir -p`; takes effect in new shells',
        ],
        ['msgctl completion zsh > "${fpath[1]}/_msgctl"', 'for zsh'],
        ['msgctl completion fish > ~/.config/fish/completions/msgctl.fish', 'for fish; create the folder first with `mkdir -p`'],
        ['msgctl completion powershell | Out-String | Invoke-Expression', 'for PowerShell; add it to your profile'],
      ],
      arguments: [{ name: 'shell', summary: `the shell in which to complete: ${shells.join(', ')}`, completes: shells }],
      run: async (_session, [named = '']) => {
        const shell = shells.find((each) => each === named);
        if (!shell) throw unknownChoiceError('shell', named, shells);
        const script = requireScript(shell);
        return { kind: 'document', document: { shell, script }, text: script };
      },
    },
  ],
};
