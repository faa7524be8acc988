import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import type { Noun } from '../command/command.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';

/** The shells, and the generated script of each in the folder `completions`. */
export const completionScripts = {
  bash: 'msgctl.bash',
  zsh: '_msgctl',
  fish: 'msgctl.fish',
  powershell: 'msgctl.ps1',
} as const;

type Shell = keyof typeof completionScripts;

const shells = Object.keys(completionScripts) as Shell[];

function readScript(shell: Shell): string {
  const root = dirname(findPackageJSON(import.meta.url) ?? '.');
  const file = join(root, 'completions', completionScripts[shell]);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `The completion script is missing: ${(error as Error).message}`, {
      hint: 'Install msgctl again.',
    });
  }
}

export const completion: Noun = {
  name: 'completion',
  summary: 'Print the completion script of a shell',
  verbs: [
    {
      name: '',
      summary: 'Print the completion script of a shell: commands, flags, values, profiles and ids',
      examples: [
        ['msgctl completion bash > ~/.local/share/bash-completion/completions/msgctl', 'for bash, in new shells'],
        ['msgctl completion zsh > "${fpath[1]}/_msgctl"', 'for zsh'],
        ['msgctl completion fish > ~/.config/fish/completions/msgctl.fish', 'for fish'],
        ['msgctl completion powershell | Out-String | Invoke-Expression', 'for PowerShell, in its profile'],
      ],
      arguments: [['<shell>', shells.join(', '), shells]],
      run: async (_session, [named = '']) => {
        const shell = shells.find((each) => each === named);
        if (!shell) throw usageError(`There is no script for '${named}'`, `Known shells: ${shells.join(', ')}`);
        const script = readScript(shell);
        return { kind: 'document', document: { shell, script }, text: script };
      },
    },
  ],
};
