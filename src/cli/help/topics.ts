import { globalOptions } from '../global-options.ts';
import { capitalize } from '../output/capitalize.ts';
import { type Block, blocksText, type HelpRow, defaultWidth } from './layout.ts';
import { optionRow } from './option-row.ts';

/** A topic of `msgctl help`. */
interface Topic {
  readonly name: string;
  readonly summary: string;
  /** @param width the line width in columns */
  readonly text: (width?: number) => string | Promise<string>;
}

/** All topics, in the order of the root help. */
export const topics: readonly Topic[] = [
  topic('options', 'The global options, which every command takes', () => options),
  topic('output', 'Formats, fields, queries, stdout and stderr', () => output),
  topic('profiles', 'How the address, the key and the sub-account are chosen', () => profiles),
  topic('scopes', 'Sections, permissions, the fields of a plan and the sizes of records', async () =>
    (await import('./scopes.ts')).scopes(),
  ),
  topic(
    'account-as-code',
    'The account as a folder of files: dump, diff, apply and undo',
    async () => (await import('./account-as-code.ts')).blocks,
  ),
  topic('analytics', 'Days, rows, charts and exports of analytics', async () => (await import('./analytics.ts')).blocks),
  topic('exit-codes', 'The exit codes and their meaning', () => exitCodes),
  topic('environment', 'The environment variables', () => environment),
  {
    name: 'reference',
    summary: 'Every command with its options',
    text: async (width = defaultWidth) => (await import('./reference.ts')).reference(width),
  },
];

function topic(name: string, summary: string, blocks: () => readonly Block[] | Promise<readonly Block[]>): Topic {
  const title = capitalize(name).replaceAll('-', ' ');
  return { name, summary, text: async (width = defaultWidth) => blocksText(title, await blocks(), width) };
}

/** Finds the topic for words such as `exit codes`; undefined if there is none. */
export function findTopic(words: readonly string[]): Topic | undefined {
  const name = words.join('-').toLowerCase();
  return topics.find((topic) => topic.name === name);
}

/** The options that every command takes. */
export const globalRows: readonly HelpRow[] = [
  ...globalOptions.map(optionRow),
  ['-h, --help', 'show help; `msgctl <command> --help` for a command'],
  ['-V, --version', 'show the version, as `msgctl version` does'],
];

const options: readonly Block[] = [
  'Every command takes these global options, anywhere on the line.',
  globalRows,
  'An option of one letter can stand with its value (-ojson), and together with others (-qo json). After --, nothing is an option.',
];

const output: readonly Block[] = [
  'Data goes to stdout. Notes, prompts, progress and errors go to stderr.',
  [
    ['-o table', 'for people (the default); borders, colour and times such as `3 min ago` only on a terminal'],
    [
      '-o json',
      'the interface\'s answer without "success", as exactly one document (`channels pair` prints its code before it); a deletion of one record mostly answers {}',
    ],
    ['-o ndjson', 'one row per line, for streams'],
    ['-o csv', 'RFC 4180, with a fixed order of columns'],
    ['-o tsv', 'verbatim, for programs: a blank stands for each tab and line break in a value'],
    ['-o yaml', 'like json, in YAML'],
  ],
  [
    ['--fields a,b.c', 'show only these fields, in this order; unknown fields are an error before anything is sent'],
    ['--fields all', 'show every field; JSON, NDJSON and YAML have every field anyway'],
    [
      '--query EXPRESSION',
      "select from the JSON document with JMESPath: 'tags[].name', 'tags[?contact_count > `0`]'. Rows print as a table, a " +
        "list of values as lines like those of tsv: msgctl tags list --all --query 'tags[].id' -o tsv",
    ],
    [
      '--jq PROGRAM',
      "run a jq program on the JSON document: '.tags[] | select(.contact_count > 0) | .name'. Strings print as they are, other " +
        'values as JSON, each on a line of its own, whatever the format. Programs run in jq 1.8 with 256 MiB of memory. Modules and ' +
        'environment variables are not available. A program that fails prints nothing, unless the command changed something: then it ' +
        'prints the whole answer.',
    ],
  ],
  'On a terminal, a table fits its width: long text is folded, and columns that do not fit are hidden, with a note. ' +
    '--wide shows every column, with exact times in your time zone. Other programs get every column unchanged, and times in UTC.',
  'CSV is for spreadsheets. Text that begins like a formula gets an apostrophe in front, which keeps the ' +
    'spreadsheet from running it; `msgctl contacts import` takes it off again. TSV is for programs: its cells have ' +
    'neither such apostrophes nor quotes around them. A list in a cell has commas between its items, ' +
    'and an item with a comma, a semicolon or a quote in it is quoted: VIP,"Berlin, Mitte". These options apply only to CSV ' +
    'and TSV:',
  [
    ['--raw', 'csv without the apostrophes'],
    ['--bom', 'with a byte order mark, by which Excel recognises UTF-8'],
    ['--no-header', 'without the heading'],
  ],
  'A query that cannot be read is an error before anything is sent. When one fails on the answer, the exit code is 1; a ' +
    'command that changes something then shows the whole answer.',
  'Paginated lists show 50 rows by default. --limit N shows at most N rows, --all every row, and --cursor CURSOR continues ' +
    'from a next_cursor, also over several accounts. Lists are read page by page, in constant memory. --query, --jq and several ' +
    'accounts read every row, unless --limit or --cursor is given; so does `analytics credits` as CSV, TSV and NDJSON, unless --limit is given. When a list ends with an error, its document is still valid, and its next_cursor ' +
    'says where to continue; Ctrl-C can cut the document off. An empty list is an empty document.',
  '`status`, `webhooks health`, `broadcasts get`, `templates status` and `kb status` take --watch [5s] on a terminal. `webhooks list` and `get` show the state of ' +
    'receivers in tables, and where --fields names it.',
  'On a terminal, what is longer than the window is shown by a pager: the command in PAGER, or less. PAGER=cat and ' +
    '--no-pager turn it off. Quitting the pager ends the command, with exit code 0.',
  'With -o json, an error is one JSON object on stderr: code, message, hint, status, error_code, exit_code, and reason and field where the ' +
    'service says them. A wait for the rate limit is reported on stderr, with -o json as {"event":"waiting","message":"…","seconds":12}.',
  'NO_COLOR turns colour off, FORCE_COLOR turns it on.',
  'Commands that change something take --dry-run, which prints the request without sending it (`contacts import` checks the ' +
    'file instead; for `apply` it is `msgctl diff`; `undo` and `sandbox clone` have none), and --input FILE, which reads the request body from a JSON or YAML file (- is stdin). Flags override the input. `-` as a text, such as ' +
    'a body or a description, is the text on stdin. Ids and names are given as they are. A dry run can send requests that only read. Actions that cannot be undone ask for confirmation on a terminal, ' +
    'and need --yes elsewhere; those that want a name typed need --confirm NAME.',
];

const profiles: readonly Block[] = [
  'A profile stores the address of a service, an API key, and the sub-account to act on. `msgctl login` creates one after it ' +
    'has verified the key. `msgctl profiles` lists, shows, switches, renames and removes profiles. `msgctl logout` removes ' +
    'the secrets. Profiles are stored in ~/.config/msgctl/profiles.json (or below XDG_CONFIG_HOME), readable only by you.',
  '`msgctl serve --profile dev` stores the address, a key and the sandbox token of that server in the profile `dev` and ' +
    'switches to it, so that commands in other terminals need no options.',
  'The built-in profile `sandbox` runs the service inside each command, on the store in MSGCTL_DATA_DIR.',
  [
    ['Profile', '--profile, then MSGCTL_PROFILE, then the profile in use'],
    ['Address', '--base-url, then MSGCTL_BASE_URL, then that of the profile'],
    [
      'Key',
      'MSGCTL_API_KEY, then that of the profile, which is sent only to the address it was stored for. No option takes a key. ' +
        'When MSGCTL_API_KEY overrides the key of the profile, a note says so.',
    ],
    [
      'Token',
      'MSGCTL_SANDBOX_TOKEN, then that of the profile, which is sent only to the address it was stored for. `msgctl sandbox` ' +
        'needs it, except on the embedded store.',
    ],
    ['Account', '--sub-account, then MSGCTL_SUB_ACCOUNT, then the choice of `msgctl accounts use`'],
  ],
  [
    ['--sub-account Bakery', 'one sub-account, by its name or its id'],
    ['--sub-account Bakery,acc_2', 'several sub-accounts'],
    ["--sub-account 'Client*'", 'those whose names match'],
    ['--sub-account @FILE', 'those that a file names, one a line'],
    ['--sub-account all', 'every sub-account of the agency'],
    ['--sub-account own', "the key's own account, whatever the profile stores"],
  ],
  'On several accounts, the command runs on four at a time, and the answers are merged into one list with the columns ' +
    'sub_account_id and sub_account. If some accounts fail, the others are still shown, equal failures are reported together, ' +
    'and the exit code is 8. A command that changes something keeps its state in a file until all is done: after a failure or Ctrl-C, it ' +
    'says how many accounts are done, unknown and left, and `msgctl batch resume` runs it again on those that are not done.',
  '`msgctl sandbox` acts on the same address; without a profile in use, on the embedded store. When it changes something, a ' +
    'note on stderr names the server. If the profile in use has no sandbox token, it exits with 4 instead of falling back to the embedded store.',
];

const exitCodes: readonly Block[] = [
  [
    ['  0', 'success'],
    [
      '  1',
      'failure: the service refused the request (400, 402, 410, 422), an error on this machine, `webhooks doctor` found a ' +
        'fault, `broadcasts wait` can no longer succeed or timed out, or you answered a question with no',
    ],
    ['  2', 'usage error: an unknown flag or profile, an invalid value, a name that matches several records, or a missing --yes'],
    ['  3', 'differences found, a condition of `--fail-on` holds, or the credits do not suffice (`kb estimate`, `kb import --estimate`)'],
    ['  4', 'not authenticated, or not allowed (401, 403)'],
    ['  5', 'not found (404)'],
    [
      '  6',
      'conflict (409), changes that `diff`, `apply` or `undo` blocked, a file that changed during a `dump`, or an export of the ' +
        'ledger that lacks records',
    ],
    ['  7', 'rate limited (429)'],
    ['  8', 'partial failure: some or all of the accounts, sources, rows of an import or writes of an apply failed'],
    ['  9', 'the service, its store or the network is unavailable (5xx, no connection, a data directory that cannot be used)'],
    ['130', 'interrupted'],
  ],
  '`msgctl serve --exec` exits with the code of its command: 127 for an unknown program, 128 + the signal.',
];

const environment: readonly Block[] = [
  [
    ['MSGCTL_API_KEY', 'the API key; overrides that of the profile'],
    ['MSGCTL_BASE_URL', 'the address of the service, including the version prefix'],
    ['MSGCTL_PROFILE', 'the profile to use'],
    ['MSGCTL_SUB_ACCOUNT', 'the sub-account to act on, like --sub-account'],
    ['MSGCTL_OUTPUT', 'the output format'],
    ['MSGCTL_DATA_DIR', 'the directory of the embedded store, which the profile `sandbox` uses'],
    [
      'MSGCTL_PLAN_KEY',
      'the key for the digests of secrets in the plans of `diff`, for `apply` on another machine; by default, a key that stays on this one',
    ],
    ['MSGCTL_SANDBOX_TOKEN', 'the sandbox token; overrides those of the profile and of the data directory'],
    [
      'MSGCTL_AI_BASE_URL',
      'a chat-completions service that writes for agents, including the version prefix; without it, built-in rules write the replies. ' +
        '`serve` and the profile `sandbox` read these variables.',
    ],
    ['MSGCTL_AI_API_KEY', 'its API key, sent as a bearer token; none is sent without it'],
    ['MSGCTL_AI_MODEL', 'the model to use there'],
    ['MSGCTL_AI_MODEL_ECONOMY', 'the model of agents in the tier economy; MSGCTL_AI_MODEL by default'],
    ['MSGCTL_AI_MODEL_STANDARD', 'that of the tier standard'],
    ['MSGCTL_AI_MODEL_MINI', 'that of the tier mini'],
    ['MSGCTL_AI_MODEL_MAX', 'that of the tier max'],
    [
      'MSGCTL_FAILPOINT',
      'for recovery tests: `serve` kills itself at store.created, request.committed, maintenance.step, delivery.leased, ' +
        'delivery.sent, broadcast.leased, broadcast.sending, comment.leased, comment.asked, comment.sending, run.leased, ' +
        'run.written or run.ending; with `delivery.sent:3` at the third time',
    ],
    ['XDG_CONFIG_HOME', 'the directory that contains msgctl/profiles.json'],
    [
      'XDG_DATA_HOME',
      'the directory that contains the journals of applies, the key of plans, and the embedded store unless MSGCTL_DATA_DIR is set',
    ],
    [
      'HTTPS_PROXY, HTTP_PROXY',
      'the proxy through which commands reach a server, also in lower case; not for the loopback interface, nor for what `serve` sends',
    ],
    ['NO_PROXY', 'the hosts that are reached without it, with commas: api.example.com, .example.com, or * for all'],
    ['NODE_EXTRA_CA_CERTS', 'a PEM file with certificates to trust besides the usual ones, also for what `serve` sends'],
    ['NO_COLOR, FORCE_COLOR', 'turn colour off or on'],
    ['PAGER', 'the command that shows long output on a terminal; `less` by default, `cat` for none'],
    ['LESS', 'the options of less; FRX by default'],
    ['VISUAL, EDITOR', 'the command in which `agents edit` opens an agent'],
    ['TZ', 'the time zone in which tables show times and in which `tomorrow 9:00` is read'],
    ['XDG_STATE_HOME', 'the directory that contains the journals of batches'],
    [
      'HOME',
      'the home of the user, in which these directories are without the XDG variables. Relative paths in XDG variables are ignored.',
    ],
  ],
  '`msgctl serve --exec COMMAND` sets MSGCTL_BASE_URL, MSGCTL_API_KEY and MSGCTL_SANDBOX_TOKEN for its command.',
];
