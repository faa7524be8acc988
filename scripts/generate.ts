import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { RootCommand } from '@bomb.sh/tab';
import { completionScripts } from '../src/cli/nouns/completion.ts';
import { manPage } from '../src/cli/help/man-page.ts';
import { reference } from '../src/cli/help/reference.ts';

/** The width of the reference in columns. */
const referenceWidth = 120;

/** The generated files, by path. A test checks that they are current. */
export async function generated(): Promise<Record<string, string>> {
  const scripts: Record<string, string> = {};
  for (const [shell, file] of Object.entries(completionScripts)) scripts[`completions/${file}`] = completionScript(shell);
  const commands = `<!-- Generated from the commands by \`npm run generate\`. Do not edit. -->\n\n${await reference(referenceWidth)}`;
  return {
    ...scripts,
    'docs/reference.md': commands,
    'docs/msgctl.1': await manPage(),
    'src/service/areas/calendars/icalendar/windows-zones.json': `${JSON.stringify(windowsZones(), null, 2)}\n`,
  };
}

/**
 * The IANA zones of the names that Windows and Exchange have for time zones: the table of node-ical, which is made of CLDR's and of
 * the labels that Outlook shows.
 */
function windowsZones(): Record<string, string> {
  const table = JSON.parse(readFileSync('node_modules/node-ical/windowsZones.json', 'utf8')) as Record<string, { iana: [string] }>;
  return Object.fromEntries(Object.entries(table).map(([name, { iana }]) => [name, iana[0]]));
}

function completionScript(shell: string): string {
  const script = `${printed(() => new RootCommand().setup('msgctl', 'msgctl', shell)).trimEnd()}\n`;
  return fixes[shell]?.(script) ?? script;
}

/**
 * Changes to the scripts of the library. Candidates can have blanks, such as the names of events, and the typed words are passed
 * to the program without quotes and backslashes, and without evaluating them.
 */
const fixes: Readonly<Record<string, (script: string) => string>> = {
  /** Also works without the package bash-completion, can be loaded twice, and completes files and `--option=value`. */
  bash: (script) =>
    replacing(script, [
      [/^readonly /gm, ''],
      ['# Function to debug completion', `${bashWords}\n# Function to debug completion`],
      [
        /# Build the command to get completions\n[\s\S]*?out=\$\(eval "\$requestComp" 2>\/dev\/null\)/,
        'local typed=()\n    __msgctl_unquote "${words[@]:1:cword}"\n    out=$(msgctl complete -- "${typed[@]}" 2>/dev/null)',
      ],
      ['local requestComp out directive', 'local out directive'],
      [/ {4}# Process completions\n[\s\S]*?\n}\n/, bashOffer],
      [/^complete -F/m, 'complete -o default -F'],
    ]),
  zsh: (script) =>
    replacing(script, [
      ['words=( "${=words[1,CURRENT]}" )', 'words=( "${(@)words[1,CURRENT]}" )'],
      ['local -a args_to_quote=("${(@)words[2,-1]}")', 'local -a args_to_quote=("${(@)${(@Q)words[2,-1]}#[\\\'\\"]}")'],
      // Without -Q, zsh quotes the blanks.
      ['"completions" completions -Q', '"completions" completions'],
    ]),
  fish: (script) =>
    replacing(script, [
      [
        'set -l lastArg (commandline -ct)',
        `set -l lastArg (commandline -ct)\n    set lastArg (string unescape -- $lastArg; or string replace -r '^["\\']' '' -- $lastArg)`,
      ],
    ]),
};

/** The words of the command line, and the words without quotes and backslashes, in bash. */
const bashWords = `# Without the package bash-completion. Bash splits words at = and :, and this joins them again.
declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
    local word last=-1
    words=()
    for word in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        if ((last >= 0)) && [[ $word == [=:]* || \${words[last]} == *[=:] ]]; then
            words[last]+=$word
        else
            words[++last]=$word
        fi
    done
    cword=$last cur=\${words[last]} prev=
}

# Sets typed to the words without quotes and backslashes.
__msgctl_unquote() {
    local word
    for word; do
        word=\${word#[\\"\\']}
        word=\${word%[\\"\\']}
        typed+=("\${word//\\\\/}")
    done
}
`;

/** Offers the candidates that begin with the typed word, in bash. Blanks are quoted, and no other characters need to be. */
const bashOffer = `    # Of an option with =, only the value is completed.
    local word=\${typed[\${#typed[@]} - 1]} candidate
    [[ $word == --*=* ]] && word=\${word#*=}
    # Bash keeps what is before the last = or :.
    local kept=\${word%"\${word##*[=:]}"}
    while IFS=$'\\t' read -r candidate _; do
        [[ -n $candidate && $candidate == "$word"* ]] || continue
        candidate=\${candidate#"$kept"}
        # Within quotes, bash quotes the blanks itself.
        [[ $cur == [\\"\\']* ]] || candidate=\${candidate// /\\\\ }
        COMPREPLY+=("$candidate")
    done <<< "$out"
}
`;

/** @throws Error when the library's script does not have a text that is replaced */
function replacing(script: string, changes: readonly (readonly [find: string | RegExp, replacement: string])[]): string {
  return changes.reduce((text, [find, replacement]) => {
    const replaced = text.replace(find, () => replacement);
    if (replaced === text) throw new Error(`The completion script has no ${String(find)}`);
    return replaced;
  }, script);
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
