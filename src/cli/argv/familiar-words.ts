import { verbWords } from '../verb/verbs.ts';
import { nouns } from '../nouns.ts';

// Words that users of other programs type first. They are not accepted, only answered with the word of this program.

const nounsMeant: ReadonlyMap<string, string> = new Map([
  ['auth', 'login'],
  ['configure', 'login'],
  ['config', 'profiles'],
  ['bookings', 'appointments'],
  ['logs', 'sandbox requests list'],
  ['ping', 'health'],
  ['switch', 'profiles use'],
  ['trigger', 'sandbox events trigger'],
]);

/** The words for verbs. The first verb that the noun has is suggested. */
const verbsMeant: readonly Meaning[] = [
  { words: ['get', 'show', 'view', 'describe', 'info', 'inspect'], meant: ['get', 'show', 'list'] },
  { words: ['add', 'new'], meant: ['create', 'invite', 'import'] },
  { words: ['remove', 'delete', 'del', 'destroy'], meant: ['delete', 'revoke', 'remove'] },
  { words: ['edit', 'modify', 'patch', 'set'], meant: ['update'] },
  { words: ['find', 'search'], meant: ['list'] },
  { words: ['ping'], meant: ['test'] },
  { words: ['switch'], meant: ['use'] },
  { words: ['export'], meant: ['list --all -o csv'] },
  { words: ['roll', 'regenerate', 'renew'], meant: ['rotate'] },
];

/** The words for verbs of single nouns, some of which are commands of another noun. */
const commandsMeant: ReadonlyMap<string, string> = new Map([
  ['contacts archive', 'update --archived'],
  ['agents ask', 'sandbox ask'],
  ['agents chat', 'sandbox chat'],
  ['webhooks resend', 'deliveries resend'],
  ['webhooks trigger', 'sandbox events trigger'],
]);

/** The names of options. The first option that the command has is suggested. */
const optionsMeant: readonly Meaning[] = [
  { words: ['--json'], meant: ['output json'] },
  { words: ['--yaml'], meant: ['output yaml'] },
  { words: ['--csv'], meant: ['output csv'] },
  { words: ['--format'], meant: ['output'] },
  { words: ['-y', '--force', '--confirm'], meant: ['yes'] },
  { words: ['-n', '-L', '--max', '--count', '--per-page', '--page-size'], meant: ['limit'] },
  { words: ['--since', '--start'], meant: ['from'] },
  { words: ['--until', '--end'], meant: ['to'] },
  { words: ['-a', '--paginate'], meant: ['all'] },
  { words: ['--account'], meant: ['sub-account'] },
  { words: ['--if-exists'], meant: ['on-duplicate'] },
];

interface Meaning {
  readonly words: readonly string[];
  /** What the words can mean. */
  readonly meant: readonly string[];
}

/** What a word means. @param names the known words, with one of which the meaning begins */
function meaningOf(word: string, meanings: readonly Meaning[], names: readonly string[]): string | undefined {
  const candidates = meanings.find(({ words }) => words.includes(word))?.meant;
  return candidates?.find((each) => names.includes(each.split(' ')[0] ?? ''));
}

/** The command that a word of another program means instead of a noun; also a verb of a single noun, such as `listen`. */
export async function familiarNoun(word: string): Promise<string | undefined> {
  const known = nounsMeant.get(word);
  if (known !== undefined) return known;
  const loaded = await Promise.all(nouns.map(({ load }) => load()));
  const having = loaded.filter(({ verbs }) => verbs.some((verb) => verbWords(verb)[0] === word));
  return having.length === 1 ? `${having[0]?.name} ${word}` : undefined;
}

/** The verb of a noun that a word of another program means. @param names the first words of the noun's verbs */
export function familiarVerb(noun: string, word: string, names: readonly string[]): string | undefined {
  return commandsMeant.get(`${noun} ${word}`) ?? meaningOf(word, verbsMeant, names);
}

/** The option that an option of another program means. @param names the long names of the command's options, without dashes */
export function familiarOption(name: string, names: readonly string[]): string | undefined {
  const meant = meaningOf(name, optionsMeant, names);
  return meant && `--${meant}`;
}
