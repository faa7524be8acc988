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
  topic('profiles', 'How msgctl chooses the address, the key and the sub-account', () => profiles),
  topic('scopes', 'Sections of keys, permissions of members, fields of a plan, size limits', async () =>
    (await import('./scopes.ts')).scopes(),
  ),
  topic(
    'account-as-code',
    'An account as a folder of files: dump, diff, apply and undo',
    async () => (await import('./account-as-code.ts')).blocks,
  ),
  topic('agent-tests', 'What a suite of `agents test` can say', async () => (await import('./agent-tests.ts')).blocks),
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
  'The value of a one-letter option may follow without a space (-ojson), and one-letter options may be combined (-qo json). After --, nothing is an option.',
];

const output: readonly Block[] = [
  'Data goes to stdout. Notes, prompts, progress and errors go to stderr.',
  [
    ['-o table', 'for people (the default); borders, colour and times such as `3 min ago` only on a terminal'],
    [
      '-o json',
      'the API response without "success", as exactly one document (`channels pair` prints its code before it); deleting one record usually prints {}',
    ],
    ['-o ndjson', 'one row per line, for streams'],
    ['-o csv', 'RFC 4180, with every field, in a fixed order of columns'],
    ['-o tsv', 'unescaped, for programs; each tab and line break in a value becomes a space'],
    ['-o yaml', 'like json, in YAML'],
  ],
  [
    ['--fields a,b.c', 'show only these fields, in this order; unknown fields are an error before anything is sent'],
    ['--fields all', 'show every field; JSON, NDJSON and YAML have every field anyway'],
    [
      '--where CONDITION',
      "lists: show only the rows for which this holds: 'balance<100', 'name~Client*' (* is any text), 'email=' (none), 'created_at>7d'. The " +
        'operators are = != < <= > >= ~ !~. Repeated, all must hold. It sees every row, and --limit counts what is left',
    ],
    ['--sort FIELDS', 'lists: sort by these fields, -created_at in descending order; reads the whole list, up to 100,000 rows'],
    [
      '--query EXPRESSION',
      "select from the JSON document with JMESPath: 'tags[].name', 'tags[?contact_count > `0`]'. Rows print as a table. A " +
        "list of values prints one value per line, as tsv does: msgctl tags list --all --query 'tags[].id' -o tsv",
    ],
    [
      '--jq PROGRAM',
      "run a jq program on the JSON document: '.tags[] | select(.contact_count > 0) | .name'. Strings print without quotes, other " +
        'values as JSON, one per line, whatever the format. Programs run in jq 1.8 with 256 MiB of memory. Modules are ' +
        'not available. A program sees the environment, but not the secrets of msgctl. A program that fails prints nothing, unless ' +
        'the command changed something: then msgctl prints the whole response.',
    ],
  ],
  'On a terminal, a table fits the width: long text is wrapped, and columns that do not fit are hidden, with a note. ' +
    '--wide shows every column, with exact times in your time zone: wider than the terminal, a table scrolls sideways in less, and ' +
    'without it each row is shown as a record. In a pipe or a file, a table has every column, uncut, with times in UTC.',
  'CSV is for spreadsheets. Text that begins like a formula gets an apostrophe in front, so that the ' +
    'spreadsheet does not run it; `msgctl contacts import` removes the apostrophe again. TSV is for programs: its cells have ' +
    'no apostrophes and no quotes. A list in a cell has commas between its items, ' +
    'and an item that contains a comma, a semicolon or a quote is quoted: VIP,"Berlin, Mitte". These options apply only to CSV ' +
    'and TSV:',
  [
    ['--raw', 'csv without the apostrophes'],
    ['--bom', 'with a byte order mark, so that Excel reads UTF-8'],
    ['--no-header', 'without the heading'],
  ],
  'An invalid query is an error before anything is sent. A query that fails on the response exits with 1; a ' +
    'command that changed something then prints the whole response.',
  'Paginated lists show 50 rows by default. --limit N shows at most N rows, --all shows every row, and --cursor CURSOR continues ' +
    'from a next_cursor, also for several accounts. Lists are read page by page, in constant memory. --query, --jq and commands on several ' +
    'accounts read every row, unless --limit or --cursor is given. `analytics credits` as CSV, TSV or NDJSON reads every row unless --limit is given. When an error ends a list early, the document is still valid, and its next_cursor ' +
    'says where to continue. Ctrl-C can cut the document off. An empty list is an empty document.',
  '`status`, `webhooks health`, `broadcasts get`, `templates status` and `kb status` take --watch [5s] on a terminal. `webhooks list` and `webhooks get` show the state of ' +
    'the receiver in tables; in other formats, name it with --fields.',
  'On a terminal, output longer than the window opens in a pager: the command in PAGER, or less. PAGER=cat and ' +
    '--no-pager turn it off. Quitting the pager ends the command, with exit code 0.',
  'With -o json, an error is one JSON object on stderr: code, message, hint, status, error_code, exit_code, and reason and field if the ' +
    'service gives them. A wait for the rate limit is reported on stderr, with -o json as {"event":"waiting","message":"…","seconds":12}.',
  'NO_COLOR turns colour off, FORCE_COLOR turns it on.',
  'Commands that change something take --dry-run, which prints the request without sending it. It may send requests that only read. Exceptions: `contacts import` checks the ' +
    'file instead; use `msgctl diff` to preview `apply`; `undo` and `sandbox clone` have no --dry-run.',
  'They also take --input FILE, which reads the request body from a JSON or YAML file (- is stdin). Flags override the input. A text, such as ' +
    'a body or a description, can be `-`, which reads it from stdin; `-` is not read as stdin for ids and names.',
  'Actions that cannot be undone ask for confirmation on a terminal, ' +
    'and need --yes without one. If the question asks you to type a name, scripts pass it with --confirm NAME.',
];

const profiles: readonly Block[] = [
  'A profile stores the address of a service, an API key, and the sub-account to act on. `msgctl login` verifies ' +
    'the key and creates a profile. `msgctl profiles` lists, shows, switches, renames and removes profiles. `msgctl logout` removes its ' +
    'secrets. Profiles are stored in ~/.config/msgctl/profiles.json (on Windows %APPDATA%\\msgctl, or below XDG_CONFIG_HOME), readable ' +
    'only by you.',
  '`msgctl serve --profile dev` stores the address, a key and the sandbox token of that server in the profile `dev` and ' +
    'switches to it, so that commands in other terminals need no options.',
  'The built-in profile `sandbox` runs the service inside each command, on the store in MSGCTL_DATA_DIR.',
  [
    ['Profile', '--profile, then MSGCTL_PROFILE, then the profile in use'],
    ['Address', '--base-url, then MSGCTL_BASE_URL, then the address of the profile'],
    [
      'Key',
      'MSGCTL_API_KEY, then the key of the profile or the first line of its key command (`msgctl login --key-command`), which is sent ' +
        'only to the address it was stored for. No option takes a key. ' +
        'When MSGCTL_API_KEY overrides the key of the profile, a note says so.',
    ],
    [
      'Token',
      'MSGCTL_SANDBOX_TOKEN, then the token of the profile, which is sent only to the address it was stored for. `msgctl sandbox` ' +
        'needs it, except on the embedded store.',
    ],
    ['Account', '--sub-account, then MSGCTL_SUB_ACCOUNT, then the choice of `msgctl accounts use`'],
  ],
  [
    ['--sub-account Bakery', 'one sub-account, by its name or its id'],
    ['--sub-account Bakery,acc_2', 'several sub-accounts'],
    ["--sub-account 'Client*'", 'the sub-accounts whose names match the pattern'],
    ['--sub-account @FILE', 'the sub-accounts listed in a file, one per line'],
    ['--sub-account all', 'every sub-account of the agency'],
    ['--sub-account own', "the key's own account, whatever the profile stores"],
  ],
  'On several accounts, the command runs on four at a time and merges the results into one list with the columns ' +
    'sub_account_id and sub_account. If some accounts fail, the others are still shown, equal errors are reported once, ' +
    'and the exit code is 8. A command that changes something keeps its progress in a file until every account is done. After a failure or Ctrl-C, it ' +
    'says how many accounts are done, unknown and left. `msgctl batch resume` runs the newest one again on the accounts that are not done.',
  '`msgctl sandbox` acts on the same address, or on the embedded store if no profile is in use. When it changes something, a ' +
    'note on stderr names the server. If the profile in use has no sandbox token, the command exits with 4. It does not fall back to the embedded store.',
];

const exitCodes: readonly Block[] = [
  [
    ['  0', 'success'],
    [
      '  1',
      'failure: the service refused the request (400, 402, 410, 422), an error on this machine, `webhooks doctor` or `webhooks certify` found a ' +
        'fault, `broadcasts wait` can no longer succeed or timed out, or you answered a question with no',
    ],
    ['  2', 'usage error: an unknown flag or profile, an invalid value, a name that matches several records, or a missing --yes'],
    ['  3', 'differences found, a condition of `--fail-on` holds, or there are not enough credits (`kb estimate`, `kb import --estimate`)'],
    ['  4', 'not authenticated, or not allowed (401, 403)'],
    ['  5', 'not found (404)'],
    [
      '  6',
      'conflict (409), blocked changes in `diff`, `apply` or `undo`, a file that changed during a `dump`, or an export of ' +
        'credits that misses records',
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
    ['MSGCTL_API_KEY', 'the API key; overrides the key of the profile'],
    ['MSGCTL_BASE_URL', 'the address of the service, including the version prefix'],
    ['MSGCTL_PROFILE', 'the profile to use'],
    ['MSGCTL_SUB_ACCOUNT', 'the sub-account to act on, like --sub-account'],
    ['MSGCTL_OUTPUT', 'the output format'],
    ['MSGCTL_DATA_DIR', 'the directory of the embedded store, which the profile `sandbox` uses'],
    [
      'MSGCTL_PLAN_KEY',
      'the key for the digests of secrets in plans; set the same one for `diff` and for `apply` on another machine (default: a key that stays on this machine)',
    ],
    ['MSGCTL_MCP_TOKEN', 'the token that clients of `msgctl mcp --http` must send (default: a new one, which it prints)'],
    ['MSGCTL_SANDBOX_TOKEN', 'the sandbox token; overrides the tokens of the profile and of the data directory'],
    [
      'MSGCTL_AI_BASE_URL',
      'the address, with its version prefix, of a chat-completions service that writes the replies of agents. Without it, built-in rules write them. ' +
        '`serve` and the profile `sandbox` read these variables.',
    ],
    ['MSGCTL_AI_API_KEY', 'its API key, sent as a bearer token; none is sent without it'],
    ['MSGCTL_AI_MODEL', 'the model to use there'],
    ['MSGCTL_AI_MODEL_ECONOMY', 'the model of agents in the tier economy; MSGCTL_AI_MODEL by default'],
    ['MSGCTL_AI_MODEL_STANDARD', 'the model of agents in the tier standard'],
    ['MSGCTL_AI_MODEL_MINI', 'the model of agents in the tier mini'],
    ['MSGCTL_AI_MODEL_MAX', 'the model of agents in the tier max'],
    ['MSGCTL_AI_EMBEDDING_MODEL', 'the model that finds FAQs by meaning too, at /embeddings; without it, words alone find them'],
    [
      'MSGCTL_FAILPOINT',
      'for recovery tests: `serve` kills itself at store.created, request.committed, maintenance.step, delivery.leased, ' +
        'delivery.sent, broadcast.leased, broadcast.sending, comment.leased, comment.asked, comment.sending, run.leased, ' +
        'run.written or run.ending; `delivery.sent:3` means the third time',
    ],
    ['XDG_CONFIG_HOME', 'the directory that contains msgctl/profiles.json'],
    [
      'XDG_DATA_HOME',
      'the directory that contains the journals of `apply`, the key of plans, and the embedded store unless MSGCTL_DATA_DIR is set',
    ],
    [
      'HTTPS_PROXY, HTTP_PROXY',
      'the proxy through which commands reach a server (lower case works too); not used for the loopback interface, nor for requests that `serve` sends',
    ],
    ['NO_PROXY', 'the hosts that are reached without the proxy, separated by commas: api.example.com, .example.com, or * for all'],
    ['NODE_EXTRA_CA_CERTS', 'a PEM file with additional certificates to trust, also for requests that `serve` sends'],
    ['NO_COLOR, FORCE_COLOR', 'turn colour off or on'],
    ['PAGER', 'the command that shows long output on a terminal; `less` by default, `cat` for none'],
    ['LESS', 'the options of less; FRX by default'],
    ['VISUAL, EDITOR', 'the command in which `agents edit` opens an agent'],
    ['TZ', 'the time zone of times in tables and of input such as `tomorrow 9:00`'],
    ['XDG_STATE_HOME', 'the directory that contains the progress files of `batch`'],
    [
      'HOME',
      'your home directory, which contains these directories unless the XDG variables are set. Relative paths in XDG variables are ignored.',
    ],
  ],
  '`msgctl serve --exec COMMAND` sets MSGCTL_BASE_URL, MSGCTL_API_KEY and MSGCTL_SANDBOX_TOKEN for its command.',
];
