import { mkdirSync, writeFileSync } from 'node:fs';
import { RootCommand } from '@bomb.sh/tab';
import { completionScripts } from '../src/cli/nouns/completion.ts';
import { manPage } from '../src/cli/help/man-page.ts';
import { reference } from '../src/cli/help/reference.ts';

/** The width of the reference in columns. */
const referenceWidth = 120;

/** The files that are generated from the commands, by path. A test checks that they are current. */
export async function generated(): Promise<Record<string, string>> {
  const scripts: Record<string, string> = {};
  for (const [shell, file] of Object.entries(completionScripts)) scripts[`completions/${file}`] = completionScript(shell);
  const commands = `<!-- Generated from the commands by \`npm run generate\`. Do not edit. -->\n\n${await reference(referenceWidth)}`;
  return { ...scripts, 'docs/reference.md': commands, 'docs/msgctl.1': await manPage() };
}

function completionScript(shell: string): string {
  const script = `${printed(() => new RootCommand().setup('msgctl', 'msgctl', shell)).trimEnd()}\n`;
  return shell === 'bash' ? fixBash(script) : script;
}

/**
 * Adapts the script for bash: it works without the package bash-completion, can be loaded twice, completes files, and passes
 * the typed words to the program without evaluating them.
 */
function fixBash(script: string): string {
  const fallback = `# Without the package bash-completion.
declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
    words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
}
`;
  return script
    .replaceAll(/^readonly /gm, '')
    .replace('# Function to debug completion', `${fallback}\n# Function to debug completion`)
    .replace(
      /# Build the command to get completions\n[\s\S]*?out=\$\(eval "\$requestComp" 2>\/dev\/null\)/,
      'out=$(msgctl complete -- "${words[@]:1:cword}" 2>/dev/null)',
    )
    .replace('local requestComp out directive', 'local out directive')
    .replace(/^complete -F/m, 'complete -o default -F');
}

/** Captures what a function prints to the console: the library returns its script in no other way. */
function printed(print: () => void): string {
  /* eslint-disable no-console */
  const { log } = console;
  const lines: string[] = [];
  try {
    console.log = (line: string) => lines.push(line);
    print();
  } finally {
    console.log = log;
  }
  /* eslint-enable no-console */
  return `${lines.join('\n')}\n`;
}

if (import.meta.main)
  for (const [file, text] of Object.entries(await generated())) {
    const url = new URL(`../${file}`, import.meta.url);
    mkdirSync(new URL('.', url), { recursive: true });
    writeFileSync(url, text);
  }
