/** A topic of `msgctl help`. */
interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly text: () => string | Promise<string>;
}

/** Every topic, in the order of the root help. */
export const topics: readonly Topic[] = [
  { name: 'output', summary: 'Formats, fields, queries, stdout and stderr', text: () => output },
  { name: 'profiles', summary: 'How the address, the key and the sub-account are chosen', text: () => profiles },
  {
    name: 'scopes',
    summary: 'Sections, permissions and the fields of a plan',
    text: async () => (await import('./scopes.ts')).scopesText(),
  },
  { name: 'exit-codes', summary: 'The exit codes and their meaning', text: () => exitCodes },
  { name: 'environment', summary: 'The environment variables', text: () => environment },
  { name: 'reference', summary: 'Every command with its options', text: async () => (await import('./reference.ts')).reference() },
];

/** Finds the topic that the words name, such as `exit codes`; undefined when there is none. */
export function findTopic(words: readonly string[]): Topic | undefined {
  const name = words.join('-').toLowerCase();
  return topics.find((topic) => topic.name === name);
}

const output = `Output

Data goes to stdout. Notes, prompts, progress and errors go to stderr.

  -o table    for people (the default); borders and colour only on a terminal, cut at its width
  -o json     the interface's answer without "success", as exactly one document
  -o ndjson   one row per line, for streams
  -o csv      RFC 4180, with a fixed order of columns; formulas get a leading apostrophe
  -o tsv      like csv, with tabs
  -o yaml     like json, in YAML

--fields a,b.c      show only these fields, in this order; unknown fields are an error before anything is sent
--query EXPRESSION  select from the JSON document with JMESPath: 'tags[].name', 'tags[?contact_count > \`0\`]'.
                    Rows print as a table, a list of texts as lines: msgctl tags list --all --query 'tags[].id' -o tsv

Paginated lists show 50 rows by default. --limit N shows at most N rows, --all every row, and --cursor CURSOR continues
from a next_cursor. Lists are read page by page, in constant memory. --query and several accounts read every row, unless
--limit or --cursor is given. When a list ends with an error, its document is still valid, and its next_cursor says
where to continue. An empty list is an empty document.

With -o json, an error is one JSON object on stderr: code, message, hint, status, error_code, exit_code. A wait for the
rate limit is reported on stderr, with -o json as {"event":"waiting","message":"…","seconds":12}.

NO_COLOR turns colour off, FORCE_COLOR turns it on. Output never goes through a pager.

Commands that change something take --dry-run, which prints the request without sending it, and --input FILE, which
reads the request body from a JSON or YAML file (- is stdin). Flags override the input. Actions that cannot be undone
ask for confirmation on a terminal, and need --yes elsewhere.
`;

const profiles = `Profiles

A profile stores the address of a service, an API key, and the sub-account to act on. \`msgctl login\` creates one after
it has verified the key. \`msgctl profiles\` lists, shows, switches, renames and removes profiles. \`msgctl logout\`
removes the key. Profiles are stored in ~/.config/msgctl/profiles.json (or below XDG_CONFIG_HOME), readable only by you.

The built-in profile \`sandbox\` runs the service inside each command, on the store in MSGCTL_DATA_DIR.

Profile    --profile, then MSGCTL_PROFILE, then the profile in use
Address    --base-url, then MSGCTL_BASE_URL, then that of the profile
Key        MSGCTL_API_KEY, then that of the profile, which is sent only to the address it was stored for. No option
           takes a key. When MSGCTL_API_KEY overrides the key of the profile, a note says so.
Account    --sub-account, then MSGCTL_SUB_ACCOUNT, then the choice of \`msgctl accounts use\`

  --sub-account acc_1          one sub-account
  --sub-account acc_1,acc_2    several sub-accounts
  --sub-account all            every sub-account of the agency
  --sub-account own            the key's own account, whatever the profile stores

On several accounts, the answers are merged into one list with a column sub_account_id. If some accounts fail, the
others are still shown, the failures are reported, and the exit code is 8.
`;

const exitCodes = `Exit codes

    0  success
    1  failure: the service refused the request (400, 402, 410, 422), or an error on this machine
    2  usage error, or --yes is missing
    3  differences found
    4  not authenticated, or not allowed (401, 403)
    5  not found (404)
    6  conflict (409)
    7  rate limited (429)
    8  part of a batch failed
    9  the service or the network is unavailable (5xx, no connection)
  130  interrupted
`;

const environment = `Environment

  MSGCTL_API_KEY         the API key; overrides that of the profile
  MSGCTL_BASE_URL        the address of the service, including the version prefix
  MSGCTL_PROFILE         the profile to use
  MSGCTL_SUB_ACCOUNT     the sub-account to act on, like --sub-account
  MSGCTL_OUTPUT          the output format
  MSGCTL_DATA_DIR        the directory of the embedded store, which the profile \`sandbox\` uses
  MSGCTL_SANDBOX_TOKEN   the sandbox token; overrides the one in the data directory
  MSGCTL_AI_BASE_URL     a service that speaks the chat-completions protocol, with its version prefix: a model there
                         writes for the agents of \`serve\` and of the profile \`sandbox\`; without it, built-in rules do
  MSGCTL_AI_API_KEY      the key of that service
  MSGCTL_AI_MODEL        the name of the model
  MSGCTL_AI_MODEL_ECONOMY   the model of the tier economy, in place of MSGCTL_AI_MODEL; likewise:
  MSGCTL_AI_MODEL_STANDARD  that of the tier standard
  MSGCTL_AI_MODEL_MINI   that of the tier mini
  MSGCTL_AI_MODEL_MAX    that of the tier max
  MSGCTL_FAILPOINT       for recovery tests: \`serve\` kills itself at store.created, request.committed,
                         maintenance.step, delivery.leased, delivery.sent, broadcast.leased or broadcast.sending;
                         with \`delivery.sent:3\` at the third time
  XDG_CONFIG_HOME        the directory that contains msgctl/profiles.json
  XDG_DATA_HOME          the directory that contains the embedded store, unless MSGCTL_DATA_DIR is set
  NO_COLOR, FORCE_COLOR  turn colour off or on
`;
